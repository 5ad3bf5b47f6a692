// The server of a product with a workflow builder: an engine in its own process, the page, and Heddle's routes for the page.
//   node server.mjs --port 4200 --store ./workflows.db

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { createEngine } from 'heddle';
import { createApp } from 'heddle/http';
import { nodeTypes } from './node-types.mjs';

const { values: options } = parseArgs({
  options: { port: { type: 'string', default: '4200' }, store: { type: 'string', default: 'memory' } },
});
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const engine = await createEngine({ store: options.store, nodeTypes });
await engine.register(JSON.parse(await readFile(here('workflow.json'), 'utf8'))); // once: it is known from then on

// Who may do what. Your users' sessions are yours: Heddle is told by your server who asks, never by the page.
const builder = ['definition:read', 'definition:write', 'run:read', 'run:start', 'prompt:read', 'prompt:reply'];
const viewer = builder.filter((scope) => scope.endsWith(':read'));
const users = new Map([
  ['ada', { tenant: 'default', keyId: 'ada', scopes: new Set(builder) }],
  ['vic', { tenant: 'default', keyId: 'vic', scopes: new Set(viewer) }],
]);
/** Stands for your session check: this cookie can be set by anybody. */
const userOf = ({ headers }) => /\buser=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? 'ada';

const app = createApp({
  engineOf: () => engine,
  authenticate: (user) => users.get(user) ?? null,
  guard: { hosts: ['127.0.0.1', 'localhost'] }, // the names of your site
});

/** Heddle's routes are a function from a Request to a Response; below `/workflows` they lead to it. */
async function answerAsHeddle(incoming, outgoing) {
  const { method, headers, url } = incoming;
  const left = new AbortController();
  outgoing.once('close', () => left.abort());
  const request = new Request(`http://${headers.host}${url.slice('/workflows'.length)}`, {
    method,
    headers: { ...headers, authorization: `Bearer ${userOf(incoming)}` },
    ...(method === 'GET' || method === 'HEAD' ? {} : { body: Readable.toWeb(incoming), duplex: 'half' }),
    signal: left.signal,
  });
  const response = await app.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  await (response.body === null ? outgoing.end() : pipeline(response.body, outgoing));
}

const files = await bundlePage();

const server = createServer((incoming, outgoing) => {
  const [path] = incoming.url.split('?');
  const file = files[path];
  if (path.startsWith('/workflows/'))
    answerAsHeddle(incoming, outgoing).catch(() => outgoing.destroy()); // it was no request, or whoever asked has left
  else if (file) outgoing.writeHead(200, { 'content-type': file.type }).end(file.content);
  else outgoing.writeHead(404).end('Not found');
});
server.listen(Number(options.port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});

async function close() {
  server.close();
  app.streams.close();
  app.close();
  await engine.close(); // runs that have not ended resume when it is started again
  server.closeAllConnections();
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void close());

/** The page as a browser takes it; in your product your own build does this. */
async function bundlePage() {
  const { outputFiles } = await build({
    entryPoints: [here('builder.jsx')],
    outdir: '/',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const [script, style] = ['.js', '.css'].map((ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text);
  return {
    '/': { type: 'text/html; charset=utf-8', content: await readFile(here('index.html')) },
    '/builder.js': { type: 'text/javascript; charset=utf-8', content: script },
    '/builder.css': { type: 'text/css; charset=utf-8', content: style },
  };
}
