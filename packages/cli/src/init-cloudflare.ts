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
  // For Node's SHA-256, which is faster.
  "compatibility_flags": ["nodejs_compat"],
  // What Heddle keeps, it keeps in objects of this class; each has a SQLite database of its own.
  "durable_objects": { "bindings": [{ "name": "HEDDLE", "class_name": "HeddleObject" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["HeddleObject"] }],
  // The web app. The Worker answers first: it says which pages may be shown, and by what policy.
  "assets": { "directory": "node_modules/heddle/dist/web", "binding": "ASSETS", "run_worker_first": true },
  // A look at all objects once an hour, so that none sleeps with work, whatever became of its alarm.
  "triggers": { "crons": ["0 * * * *"] },
  "dev": { "ip": "127.0.0.1", "port": 8787 },
  "send_metrics": false
}
`;

/** For wrangler, which reads it as it starts. */
const environment = `# For wrangler on this machine, where it asks nobody: neither where you are, nor whether there is a newer one.
# No secrets here: this file is kept with the code. Those are in .dev.vars.
CLOUDFLARE_CF_FETCH_ENABLED=false
WRANGLER_SEND_METRICS=false
WRANGLER_HIDE_BANNER=true
`;

const program = `import { type AssetsBinding, heddle, type ObjectNamespace } from 'heddle/cloudflare';
import { greet } from './actions.ts';
import hello from './hello.json';

/** What wrangler.jsonc binds, and the operator's key, a secret: in .dev.vars; deployed, npx wrangler secret put HEDDLE_KEY. */
interface Env {
  HEDDLE: ObjectNamespace;
  HEDDLE_KEY: string;
  ASSETS: AssetsBinding;
}

const { HeddleObject, worker } = heddle<Env>({
  objects: (env) => env.HEDDLE,
  key: (env) => env.HEDDLE_KEY,
  pages: (env) => env.ASSETS,
  definitions: [hello],
  engine: () => ({ actions: { greet } }),
});

// The platform finds the class by this name, and makes objects of it.
export { HeddleObject };
export default worker;
`;

const actions = `// Actions: what the nodes of workflows do. They may be called again after a crash, always with the same
// idempotencyKey: hand it on to whatever must not happen twice.

import type { ActionContext } from 'heddle';

export async function greet({ input }: ActionContext<{ name: string }>) {
  return { text: \`Hello, \${input.name}!\` };
}
`;

const hello = helloWorkflow('..');
const workflow = {
  ...hello,
  description: 'Greets somebody, then rests for as many seconds as it is told to',
  inputSchema: {
    ...hello.inputSchema,
    properties: { ...hello.inputSchema.properties, restSeconds: { type: 'number' } },
  },
  nodes: [...hello.nodes, { id: 'rest', wait: { seconds: 'has(input.restSeconds) ? input.restSeconds : 0' } }],
  transitions: [{ from: 'greet', to: 'rest' }],
};

/** The user's editor needs no types of the platform; `wrangler types` writes those of all bindings, if they are wanted. */
const compiler = {
  compilerOptions: {
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'webworker'],
    types: [],
    resolveJsonModule: true,
    allowImportingTsExtensions: true,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['src'],
};

const test = `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect } from 'heddle/client';
import { unstable_startWorker } from 'wrangler';

const key = 'a-key-for-tests';
let worker;
let heddle;

// The Worker in the platform's own runtime, on this machine; its objects are gone after the tests.
before(async () => {
  worker = await unstable_startWorker({
    config: 'wrangler.jsonc',
    bindings: { HEDDLE_KEY: { type: 'plain_text', value: key } },
    dev: { server: { hostname: '127.0.0.1', port: 0 }, inspector: false, persist: false, watch: false, logLevel: 'warn' },
  });
  heddle = connect({ url: (await worker.url).origin, key });
});
after(() => worker?.dispose());

/** Waits for what a node gives, whatever its run does after that. */
async function resultOf(nodeId, run) {
  for await (const { type } of run.events()) {
    if (type !== 'task.completed') continue;
    const node = (await run.nodes()).find((one) => one.nodeId === nodeId);
    if (node.status === 'completed') return node.output;
  }
  throw new Error(\`The run has ended, and \${nodeId} has given nothing\`);
}

test('hello greets by name', async () => {
  const run = await heddle.start('hello', { name: 'Ada' });
  const { status, output } = await run.result();
  assert.deepEqual([status, output], ['completed', { text: 'Hello, Ada!' }]);
});

test('the node greet has given its result while the run still rests', async () => {
  const run = await heddle.start('hello', { name: 'Ada', restSeconds: 3600 });
  assert.deepEqual(await resultOf('greet', run), { text: 'Hello, Ada!' });
  assert.equal(await run.status(), 'waiting');
  await run.cancel();
});
`;

const readme = (name: string, version: string): string => `# ${name}

Workflows for [Heddle](https://www.npmjs.com/package/heddle), in Durable Objects of Cloudflare.

\`\`\`sh
npm install
npm test        # hello.test.mjs, against the Worker in workerd, the platform's runtime, on this machine
npm run dev     # serves it on http://127.0.0.1:8787, with the web app; no account, no network
\`\`\`

While it serves, in another terminal:

\`\`\`sh
export HEDDLE_URL=http://127.0.0.1:8787 HEDDLE_KEY=dev-key
npx heddle start hello --input '{"name": "Ada"}' --wait
npx heddle start hello --input '{"name": "Bob", "restSeconds": 30}'
npx heddle watch last
\`\`\`

Stop the server while Bob's run rests, and start it again: the run goes on. In the web app, sign in with \`dev-key\`.

- \`src/hello.json\` is a workflow: a graph as data. \`src/index.ts\` lists them. While it serves, what you change is taken in; runs that are
  under way go on, with the version that they were started with.
- \`src/actions.ts\` has the actions that its nodes name.
- \`.dev.vars\` has the operator's key on this machine. It is not kept with the code: whoever clones it writes
  \`HEDDLE_KEY=dev-key\` into a new one.
- \`.env\` is for wrangler. \`.wrangler/\` has the objects of this machine; delete it to begin with none.
- With more bindings of your own, \`npx wrangler types\` writes their types, and \`Env\` with them.

To deploy it, with an account: \`npx wrangler deploy\`, then \`npx wrangler secret put HEDDLE_KEY\`. What that creates, what runs cost
and what was tried stands in the guide, [Cloudflare](node_modules/heddle/docs/guide/cloudflare.md).

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
    scripts: { dev: 'wrangler dev --test-scheduled', test: 'node --env-file=.env --test', deploy: 'wrangler deploy' },
    dependencies: { heddle: `^${version}` },
    devDependencies: { wrangler },
  };
  return {
    'package.json': json(description),
    'wrangler.jsonc': settings(name),
    '.env': environment,
    '.dev.vars': 'HEDDLE_KEY=dev-key\n',
    'tsconfig.json': json(compiler),
    'src/index.ts': program,
    'src/actions.ts': actions,
    'src/hello.json': json(workflow),
    'hello.test.mjs': test,
    'README.md': readme(name, version),
    '.gitignore': 'node_modules/\n.wrangler/\n.dev.vars\n',
  };
}
