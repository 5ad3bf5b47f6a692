// Init project: the files of a new project, as anybody would write them.

/** `folder`: where the project is, as the file sees it. */
export const helloWorkflow = (folder: string) => ({
  $schema: `${folder}/node_modules/heddle/schema/definition.schema.json`,
  id: 'hello',
  initialNode: 'greet',
  inputSchema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  nodes: [
    {
      id: 'greet',
      action: 'greet',
      inputMapping: { name: 'input.name' },
      outputMapping: { 'output.text': 'result.text' },
      retry: { maxAttempts: 3, backoff: 'exponential', initialDelayMs: 200 },
    },
  ],
});

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const actions = `// Actions: what the nodes of workflows do. They may be called again after a crash, always with the same
// idempotencyKey: hand it on to whatever must not happen twice.

export async function greet({ input }) {
  return { text: \`Hello, \${input.name}!\` };
}
`;

const test = `import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createEngine } from 'heddle';
import * as actions from './actions.mjs';

const definition = JSON.parse(readFileSync(new URL('hello.json', import.meta.url), 'utf8'));

test('hello greets by name', async () => {
  const engine = await createEngine({ actions: { ...actions } });
  const { problems } = await engine.register(definition);
  assert.deepEqual(problems, []);
  const run = await engine.start('hello', { name: 'Ada' });
  const { status, output } = await run.result();
  assert.deepEqual([status, output], ['completed', { text: 'Hello, Ada!' }]);
  await engine.close();
});
`;

const readme = (name: string, version: string): string => `# ${name}

Workflows for [Heddle](https://www.npmjs.com/package/heddle).

\`\`\`sh
npm install
npm test        # runs hello.test.mjs
npm start       # serves this folder on http://127.0.0.1:4100, and takes in what you change
\`\`\`

\`npm install\` takes the package \`heddle\` from the npm registry. From a checkout of Heddle, pack it there with
\`npm pack --workspace heddle\`, and install the file here: \`npm install PATH/heddle-${version}.tgz\`.

While it serves, in another terminal:

\`\`\`sh
npx heddle start hello --input '{"name": "Ada"}' --wait --url http://127.0.0.1:4100
npx heddle runs --url http://127.0.0.1:4100
\`\`\`

- \`hello.json\` is a workflow: a graph as data. Every JSON file with a graph in this folder is one.
- \`actions.mjs\` has the actions that its nodes name.
- Without a server: \`npx heddle run hello.json --actions actions.mjs --input '{"name": "Ada"}'\`
`;

/** By name, with their texts. */
export function projectFiles(name: string, version: string): Readonly<Record<string, string>> {
  const description = {
    name,
    version: '0.0.1',
    private: true,
    type: 'module',
    scripts: { start: 'heddle dev .', test: 'node --test' },
    dependencies: { heddle: `^${version}` },
  };
  return {
    'package.json': json(description),
    'hello.json': json(helloWorkflow('.')),
    'actions.mjs': actions,
    'hello.test.mjs': test,
    'README.md': readme(name, version),
    '.gitignore': 'node_modules/\n.heddle/\n',
  };
}
