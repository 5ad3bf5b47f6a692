// The package as it is published: packed, unpacked beside what it depends on, and used. Every link of its pages leads to
// something in it, its types compile in a strict program that checks libraries too, what its functions return can be named
// in the declarations of a user's library, and they are those of the sources.

import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDocs } from '../scripts/package-docs.mjs';
import { compile } from './project.testsuite.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const source = path.join(root, 'packages/heddle');
const run = promisify(execFile);

interface Manifest {
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  readonly scripts: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8')) as Manifest;

let folder: string;
let installed: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-package-'));
  const staged = path.join(folder, 'staged');
  for (const name of ['package.json', 'README.md', 'LICENSE', 'schema', 'dist'])
    cpSync(path.join(source, name), path.join(staged, name), { recursive: true });
  addDocs(staged);
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: staged,
    shell: process.platform === 'win32',
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const modules = path.join(folder, 'user/node_modules');
  mkdirSync(modules, { recursive: true });
  await run('tar', ['-xzf', path.join(folder, tarball), '-C', modules]);
  installed = path.join(modules, 'heddle');
  cpSync(path.join(modules, 'package'), installed, { recursive: true });
  rmSync(path.join(modules, 'package'), { recursive: true });
  // What npm would install with it, and the types of Node.
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'undici-types', 'node-addon-api']) {
    if (!existsSync(path.join(root, 'node_modules', name))) continue;
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name), 'junction');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesIn = (place: string): string[] =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(place, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));

test('npm adds the pages when it packs, and takes them away again', () => {
  expect(manifest.scripts).toEqual({
    prepack: 'node ../../scripts/package-docs.mjs add',
    postpack: 'node ../../scripts/package-docs.mjs remove',
  });
  const pages = filesIn(installed).filter((name) => name.endsWith('.md'));
  const guides = readdirSync(path.join(root, 'docs/guide')).map((name) => `docs/guide/${name}`);
  expect(pages).toEqual(
    expect.arrayContaining(['README.md', 'SPEC.md', 'CHANGELOG.md', 'examples/README.md', ...guides]),
  );
});

test('every relative link of its pages leads to something in it', () => {
  const broken: string[] = [];
  let links = 0;
  for (const page of filesIn(installed).filter((name) => name.endsWith('.md'))) {
    const prose = readFileSync(path.join(installed, page), 'utf8').replaceAll(/^```.*?^```$|`[^`\n]*`/gms, '');
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^([a-z]+:|#)/.test(target)) continue;
      links += 1;
      const found = path.join(installed, path.dirname(page), target.split('#')[0] ?? '');
      if (!found.startsWith(installed) || !existsSync(found)) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
  expect(links).toBeGreaterThan(100);
});

test('it names no address that does not exist', () => {
  for (const field of ['repository', 'homepage', 'bugs']) expect(manifest).not.toHaveProperty(field);
});

test('the declarations in it are those that its doors reach', () => {
  const declarations = filesIn(path.join(installed, 'dist')).filter((name) => name.endsWith('.d.ts'));
  const sources = filesIn(path.join(source, 'src')).filter((name) => !/\.test(suite)?\.ts$/.test(name));
  expect(declarations).not.toContain('cli/main.d.ts');
  expect(declarations.length).toBeLessThan(sources.length / 2);
});

const settings = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    lib: ['ES2023'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    declaration: true,
    noEmit: true,
  },
  include: ['*.ts'],
};

const program = `
import { type ActionContext, createEngine, type RunResult, workflow } from 'heddle';
import { connect, startWorker } from 'heddle/client';
import { coordinatorOf, heddle as onCloudflare, type ObjectNamespace, queueWorker, rpcAction } from 'heddle/cloudflare';
import { buildAdjacencyMap, classicTokenStatus, reportNodes } from 'heddle/dialects';
import { createApp } from 'heddle/http';
import { serve } from 'heddle/server';
import { openSqliteStore } from 'heddle/sqlite';
import { EngineMeter, Exposition, traceOptionsOf } from 'heddle/telemetry';
import { createTestEngine } from 'heddle/testing';
import { type AnswerOf, WireClient } from 'heddle/wire';

const actions = { add: ({ input }: ActionContext<{ a: number }>) => ({ sum: input.a + 1 }) };
const definition = workflow('w')
  .actions(actions)
  .node('add', { action: 'add', inputMapping: { a: 'input.a' }, outputMapping: { 'output.sum': 'result.sum' } })
  .build();
const engine = await createEngine({ actions });
await engine.register(definition);
const result: RunResult<{ sum: number }> = await (await engine.start('w', { a: 1 })).result<{ sum: number }>();
export const sum: number = result.status === 'completed' ? result.output.sum : Number(result.error.message);
const client = connect({ url: 'http://127.0.0.1:4100' });
const answer = await client.call('getRun', { runId: 'r' });
export const status: 'completed' | 'failed' | 'cancelled' | 'timed_out' | 'exhausted' | 'submitted' | 'running' | 'waiting' | 'suspended' | 'paused' = answer.status;
// @ts-expect-error: a status is no number, which it could be if its type were lost
export const wrong: number = answer.status;
const looked: AnswerOf<'getRun'> = await new WireClient().call('getRun', { runId: 'r' });
// @ts-expect-error: as above
export const alsoWrong: number = looked.status;
export const used = [startWorker, createApp, serve, openSqliteStore, createTestEngine];
export const helpers = [buildAdjacencyMap, classicTokenStatus, reportNodes];
export const telemetry = [EngineMeter, Exposition, traceOptionsOf];
interface Env { HEDDLE: ObjectNamespace; KEY: string; WORK: object }
export const { HeddleObject, worker, engineOf } = onCloudflare<Env>({
  objects: (env) => env.HEDDLE, key: (env) => env.KEY, engine: (env) => ({ actions: { resize: rpcAction(env.WORK, 'resize') } }),
});
export const queue = queueWorker<Env>({ objects: (env) => env.HEDDLE, actions: () => ({ add: () => ({}) }) });
export const started = async (env: Env): Promise<string> => (await coordinatorOf(env.HEDDLE).start('w')).runId;
`;

/** A library whose exports have the types that the API returns: a type that no door exports cannot be in its declarations. */
const library = `
import {
  type ActionContext, convertToToken, dataflowUpdates, defineAction, type Engine, explainEvents, failure, type Run,
  startFromEvent, workflow,
} from 'heddle';
import { buildAdjacencyMap, dataflowStep, reportNodes } from 'heddle/dialects';
import { traceOptionsOf } from 'heddle/telemetry';

export const add = defineAction<{ a: number }>(({ input }) => ({ sum: input.a + 1 }));
export const builder = workflow('w').actions({ add, same: ({ input }: ActionContext<{ a: number }>) => input }).node('n');
export const definition = builder.build();
export const helpers = {
  adjacency: buildAdjacencyMap([]), converted: convertToToken({}), token: convertToToken({}).token, dataflowStep,
  dataflowUpdates, explainEvents, failed: failure('no'), reportNodes, startFromEvent, traces: traceOptionsOf({}),
};
export const ofEngine = (engine: Engine) => ({
  audit: engine.audit(), count: engine.countRuns(), definition: engine.definition('w'), definitions: engine.definitions(),
  events: engine.events(), limits: engine.limits, prompts: engine.prompts(), published: engine.publish('e'),
  registered: engine.register(definition), reply: engine.reply('s', 1), runPage: engine.runPage(), runs: engine.runs(),
  overview: engine.overview(), figures: engine.nodeFigures('w'), started: engine.start('w'), stats: engine.stats(), problems: engine.validate(definition),
});
export const ofParts = ({ callbacks, credits, drafts, introspection, retention, secrets, tasks, triggers, webhooks }: Engine) => ({
  callback: callbacks.get('c'), created: callbacks.create({ url: 'https://example.com', on: [] }),
  deliveries: callbacks.deliveries(), draft: drafts.get('w'), drafts: drafts.list(), published: drafts.publish('w', 1), deposit: credits.deposit('o', 1), reservations: credits.reservations('o'),
  routing: introspection.simulateRouting('r', 1, { output: 1 }), groups: introspection.simulateSynchronization('r'),
  rules: retention.list(), sweep: retention.sweep(), secrets: secrets.list(), lease: tasks.lease({ actions: [] }),
  finish: tasks.finish([]), beat: tasks.heartbeat([]), release: tasks.release([]), actions: tasks.actions(),
  workers: tasks.workers(), trigger: triggers.get('t'), fired: triggers.fire('t'),
  made: triggers.create({ id: 't', type: 'manual', workflow: 'w' }),
  received: (call: Parameters<Engine['webhooks']['receive']>[1]) => webhooks.receive('t', call),
});
export const ofRun = (run: Run) => ({
  cancelled: run.cancel(), dataflow: run.dataflow(), events: run.events(), execution: run.execution(),
  explained: run.explain('1.0'), nodes: run.nodes(), prompts: run.prompts(), replay: run.replay(),
  reply: run.reply('c', 1), wouldCancel: run.previewCancel(), wouldRetry: run.previewRetry(), result: run.result(), retried: run.retry(), snapshot: run.snapshot(), state: run.state(),
  stateAt: run.stateAt('1.0'), status: run.status(), summary: run.summary(), threads: run.threads(),
  tokens: run.tokens(), trace: run.trace(),
});
`;

test('a strict program that checks its libraries compiles against it', { timeout: 900_000 }, async () => {
  const user = path.join(folder, 'user');
  writeFileSync(path.join(user, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(user, 'program.ts'), program);
  writeFileSync(path.join(user, 'library.ts'), library);
  writeFileSync(
    path.join(user, 'tsconfig.json'),
    JSON.stringify({ ...settings, compilerOptions: { ...settings.compilerOptions, skipLibCheck: false } }),
  );
  expect(await compile({ folder: user })).toEqual([]);
  rmSync(path.join(user, 'program.ts'));
  rmSync(path.join(user, 'library.ts'));
});

test('it depends on what its command needs, and on the version that the command is developed with', () => {
  const command = JSON.parse(readFileSync(path.join(root, 'packages/cli/package.json'), 'utf8')) as Manifest;
  const { heddle: _, ...needed } = command.dependencies;
  expect(Object.keys(needed)).toEqual(['commander']);
  expect(manifest.dependencies).toMatchObject(needed);
});

/** What a file of the build loads at once, with itself. */
function loadedBy(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import) ?"(\.[^"]+)"/g))
    loadedBy(path.join(path.dirname(file), name), found);
  return found;
}

test('its command loads neither an engine nor the table of operations before it knows what to do', () => {
  const bytesOf = (door: string): number =>
    [...loadedBy(path.join(installed, 'dist', door))].reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytesOf('index.js')).toBeGreaterThan(1_000_000);
  expect(bytesOf('cli/main.js')).toBeLessThan(50_000);
});

test('its command works from any folder, with nothing but what npm installs', async () => {
  const home = mkdtempSync(path.join(folder, 'home-'));
  const command = path.join(installed, 'dist/cli/main.js');
  const { stdout } = await run(process.execPath, [command, 'demo'], {
    cwd: home,
    env: { ...process.env, TMPDIR: home },
  });
  expect(stdout).toMatch(/order +completed in/);
  expect(stdout).toMatch(/audit +clean/);
  expect(readdirSync(home).filter((name) => !name.startsWith('heddle-demo-'))).toEqual([]);
});
