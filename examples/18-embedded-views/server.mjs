// The server of a product that shows its users their runs: Heddle beside it, and a page with Heddle's components in it.
//   node server.mjs --port 4300

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { connect } from 'heddle/client';
import { serve } from 'heddle/server';

const { values: options } = parseArgs({ options: { port: { type: 'string', default: '4300' } } });
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const product = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(500).end(error.message));
});
product.listen(Number(options.port), '127.0.0.1');
await once(product, 'listening');
const address = `http://127.0.0.1:${product.address().port}`;

// Heddle lets the pages of the product ask, and nobody without a key or a token.
const prices = { bike: 480, helmet: 40, lamp: 25 };
const actions = { price: ({ input }) => ({ price: prices[input.item] ?? 0 }) };
const heddle = await serve({ port: 0, store: 'memory', web: false, origins: [address], actions });
const { key } = await connect({ url: heddle.url }).call('createKey', { name: 'the product', scopes: ['*'] });
const engine = connect({ url: heddle.url, key }); // the key stays here
await engine.register(JSON.parse(await readFile(here('workflow.json'), 'utf8')));
const claims = {
  ada: await engine.start('claim', { customer: 'Ada', items: ['bike', 'helmet'] }),
  bob: await engine.start('claim', { customer: 'Bob', items: ['lamp'] }),
};

const files = await bundlePage();
console.log(address);

async function answer({ url }, response) {
  const [path] = url.split('?');
  if (path === '/embedded') return sendJson(response, await embeddedFor('ada'));
  const file = files[path];
  if (file) response.writeHead(200, { 'content-type': file.type }).end(file.content);
  else response.writeHead(404).end('Not found');
}

/** What the page of a user is given: a token for this user's run, for an hour, and a run of the past as a journal alone. */
async function embeddedFor(user) {
  const runId = claims[user].id;
  const { token } = await engine.call('createToken', { runId, may: 'reply', name: `the page of ${user}` });
  return { url: heddle.url, token, runId, journal: await journalOf(claims.bob) };
}

async function journalOf(run) {
  const { drawing } = await engine.call('getRunView', { runId: run.id });
  const events = [];
  for await (const event of run.events({ follow: false })) events.push(event);
  const { workflow: id, version } = await run.summary();
  const { definition } = await engine.call('getDefinition', { id, version });
  return { definition, drawing, events };
}

function sendJson(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** The page as a browser takes it; in your product your own build does this. */
async function bundlePage() {
  const { outputFiles } = await build({
    entryPoints: [here('page.jsx')],
    outdir: '/',
    bundle: true,
    splitting: true, // what is large, such as the canvas, is loaded when it is shown
    minify: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };
  const made = outputFiles.map(({ path, text }) => [path, { type: types[path.split('.').at(-1)], content: text }]);
  const index = { type: 'text/html; charset=utf-8', content: await readFile(here('index.html')) };
  return { ...Object.fromEntries(made), '/': index };
}

async function close() {
  product.close();
  await engine.close();
  await heddle.close({ graceMs: 0 });
  product.closeAllConnections();
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void close());
