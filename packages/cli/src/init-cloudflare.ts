// Init Cloudflare: the files of a new project whose engine lives in Durable Objects, as anybody would write them.

import { helloWorkflow, json } from './init-project.ts';

/** Versions that were seen to work together, without a network, on every Node that we support. */
const wrangler = '4.86.0';
const compatibilityDate = '2026-04-01';

const settings = (name: string): string => `{
  "$schema": "node_modules/wrangler/config-schema.json",
  "name": ${JSON.stringify(name)},
  "main": "src/index.ts",
  "compatibility_date": "${compatibilityDate}",
  // Node's own SHA-256, which is faster.
  "compatibility_flags": ["nodejs_compat"],
  // What Heddle keeps, it keeps in objects of this class; each has a SQLite database of its own.
  "durable_objects": { "bindings": [{ "name": "HEDDLE", "class_name": "HeddleObject" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["HeddleObject"] }],
  // A look at all objects once an hour, so that none sleeps with work, whatever became of its alarm.
  "triggers": { "crons": ["0 * * * *"] },
}
`;

const program = `import { heddle } from 'heddle/cloudflare';
import { greet } from './actions';
import hello from './hello.json';

/** What wrangler.jsonc binds, and the secret of .dev.vars (deployed: npx wrangler secret put HEDDLE_KEY). */
interface Env {
  HEDDLE: DurableObjectNamespace;
  HEDDLE_KEY: string;
}

const { HeddleObject, worker } = heddle<Env>({
  objects: (env) => env.HEDDLE,
  key: (env) => env.HEDDLE_KEY,
  definitions: [hello],
  engine: () => ({ actions: { greet } }),
});

export { HeddleObject };
export default worker;
`;

const actions = `// Actions: what the nodes of workflows do. They may be called again after a crash, always with the same
// idempotencyKey: hand it on to whatever must not happen twice.

export async function greet({ input }: { input: { name: string } }) {
  return { text: \`Hello, \${input.name}!\` };
}
`;

const test = `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { unstable_startWorker } from 'wrangler';

const key = 'a-key-for-tests';
let worker;

before(async () => {
  worker = await unstable_startWorker({
    config: 'wrangler.jsonc',
    bindings: { HEDDLE_KEY: { type: 'plain_text', value: key } },
    dev: { server: { port: 0 }, inspector: false, persist: false, logLevel: 'error' },
  });
});
after(() => worker.dispose());

async function ask(method, path, body) {
  const headers = { authorization: \`Bearer \${key}\`, 'content-type': 'application/json' };
  const response = await worker.fetch(\`http://heddle\${path}\`, { method, headers, body: body && JSON.stringify(body) });
  return response.json();
}

test('the greeting is what the node "greet" gives', async () => {
  const { runId } = await ask('POST', '/v1/runs', { workflow: 'hello', input: { name: 'Ada' } });
  const { status, output } = await ask('GET', \`/v1/runs/\${runId}/result?waitMs=10000\`);
  assert.deepEqual([status, output], ['completed', { text: 'Hello, Ada!' }]);
});
`;

const readme = (name: string, version: string): string => `# ${name}

Workflows for [Heddle](https://www.npmjs.com/package/heddle), in Durable Objects of Cloudflare.

\`\`\`sh
npm install
npm test        # starts the Worker in workerd on this machine, and waits for what a node gives
npm run dev     # serves it on http://127.0.0.1:8787; no account, no network
\`\`\`

While it serves, in another terminal:

\`\`\`sh
npx heddle start hello --input '{"name": "Ada"}' --wait --url http://127.0.0.1:8787 --key dev-key
npx heddle runs --url http://127.0.0.1:8787 --key dev-key
\`\`\`

To deploy it, with an account: \`npx wrangler secret put HEDDLE_KEY\`, then \`npx wrangler deploy\`. What that creates and what a run
costs stands in the guide, [Cloudflare](node_modules/heddle/docs/guide/cloudflare.md).

- \`src/hello.json\` is a workflow: a graph as data. \`src/index.ts\` lists them.
- \`src/actions.ts\` has the actions that its nodes name.
- \`.dev.vars\` has the operator's key on this machine.

\`npm install\` takes the package \`heddle\` from the npm registry. From a checkout of Heddle, pack it there with
\`npm pack --workspace heddle\`, and install the file here: \`npm install PATH/heddle-${version}.tgz\`.
`;

/** By name, with their texts. */
export function cloudflareFiles(name: string, version: string): Readonly<Record<string, string>> {
  const description = {
    name,
    version: '0.0.1',
    private: true,
    type: 'module',
    scripts: { dev: 'wrangler dev --ip 127.0.0.1 --port 8787', test: 'node --test', deploy: 'wrangler deploy' },
    dependencies: { heddle: `^${version}` },
    devDependencies: { wrangler },
  };
  return {
    'package.json': json(description),
    'wrangler.jsonc': settings(name),
    '.dev.vars': 'HEDDLE_KEY=dev-key\n',
    'src/index.ts': program,
    'src/actions.ts': actions,
    'src/hello.json': json(helloWorkflow('..')),
    'hello.test.mjs': test,
    'README.md': readme(name, version),
    '.gitignore': 'node_modules/\n.wrangler/\n.dev.vars\n',
  };
}
