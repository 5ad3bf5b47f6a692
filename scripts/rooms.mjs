// The rooms, in reading order: for each, the rooms and the outside packages it may import. A room may always import itself.
// All but the last three are folders of packages/heddle/src; those are workspaces of their own. This table is the
// architecture; scripts/tidy.mjs holds the sources to it.

const core = ['core/vocabulary', 'core/apply', 'core/planning', 'core/replay', 'core/views'];
const hosts = ['hosts/memory', 'hosts/sqlite'];
const tests = ['testing', 'simulation'];
/** Dialects, and what executes nodes of theirs. */
const dialects = ['dialects', 'dialects/dataflow/nodes', 'dialects/handle/nodes'];
/** What reaches in and out of an engine. */
const outside = ['secrets', 'outbound', 'webhooks', 'work'];

export const rooms = {
  base: { imports: [], packages: ['@noble/hashes'] },
  expression: { imports: ['base'], packages: ['@marcbachmann/cel-js', 're2js'] },
  definition: { imports: ['base', 'expression'], packages: ['typebox'] },
  'core/vocabulary': { imports: ['base', 'definition'], packages: [] },
  'core/apply': { imports: ['base', 'core/vocabulary'], packages: [] },
  'core/planning': { imports: ['base', 'expression', 'definition', 'core/vocabulary', 'core/apply'], packages: [] },
  'core/replay': { imports: ['base', 'definition', 'core/vocabulary', 'core/apply', 'core/planning'], packages: [] },
  'core/views': { imports: ['base', 'definition', 'core/vocabulary', 'core/apply'], packages: [] },
  dialects: {
    imports: ['base', 'expression', 'definition', 'core/vocabulary', 'core/apply', 'core/planning', 'core/views'],
    packages: [],
  },
  actor: { imports: ['base', 'expression', 'definition', ...core, 'dialects'], packages: [] },
  secrets: { imports: ['base', 'definition', 'actor'], packages: [] },
  executor: {
    imports: ['base', 'definition', 'core/vocabulary', 'actor', 'secrets'],
    packages: ['@standard-schema/spec'],
  },
  'dialects/dataflow/nodes': { imports: ['base', 'dialects', 'executor'], packages: [] },
  'dialects/handle/nodes': { imports: ['base', 'dialects', 'executor'], packages: [] },
  outbound: {
    imports: ['base', 'definition', 'core/vocabulary', 'core/views', 'actor', 'secrets', 'executor'],
    packages: [],
  },
  'outbound/node': { imports: ['outbound'], packages: ['node:*'] },
  'hosts/sql': { imports: ['base', 'actor'], packages: [] },
  'hosts/memory': { imports: ['base', 'definition', 'core/vocabulary', 'actor'], packages: [] },
  'hosts/sqlite': {
    imports: ['base', 'definition', 'core/vocabulary', 'actor', 'hosts/sql'],
    packages: ['node:*', '@photostructure/sqlite'],
  },
  'hosts/durable-object': { imports: ['base', 'actor', 'hosts/sql', 'hosts/sqlite'], packages: [] },
  'hosts/postgres': { imports: ['base', 'actor', 'hosts/sql'], packages: ['node:*', 'pg'] },
  credits: { imports: ['base', 'core/vocabulary', 'actor'], packages: [] },
  triggers: { imports: ['base', 'expression', 'definition', ...core, 'actor'], packages: ['croner'] },
  webhooks: { imports: ['base', 'definition', 'actor', 'secrets', 'triggers'], packages: [] },
  work: { imports: ['base', 'definition', 'core/vocabulary', 'dialects', 'actor', 'executor'], packages: [] },
  telemetry: { imports: ['base', 'definition', ...core, 'actor'], packages: [] },
  operations: {
    imports: ['base', 'definition', ...core, 'dialects', 'actor', 'executor', 'credits', 'triggers', ...outside],
    packages: [],
  },
  api: {
    imports: [
      'base',
      ...core,
      'dialects',
      'actor',
      'executor',
      'credits',
      'triggers',
      'secrets',
      'outbound',
      'work',
      'operations',
    ],
    packages: [],
  },
  engine: {
    imports: [
      'operations',
      'api',
      'telemetry',
      'base',
      'expression',
      'definition',
      ...core,
      ...dialects,
      'actor',
      'executor',
      'hosts/memory',
      'credits',
      'triggers',
      ...outside,
    ],
    packages: ['@standard-schema/spec'],
  },
  fleet: {
    imports: ['base', 'definition', 'actor', 'executor', 'outbound', 'work', 'operations', 'api', 'engine'],
    packages: [],
  },
  'fleet/threads': {
    imports: [
      'base',
      'definition',
      ...core,
      ...dialects,
      'actor',
      'executor',
      ...outside,
      'outbound/node',
      'hosts/sqlite',
      'telemetry',
      'operations',
      'engine',
      'fleet',
    ],
    packages: ['node:*'],
  },
  copy: {
    imports: ['base', 'actor', 'engine', 'fleet', 'hosts/sqlite', 'operations', 'work'],
    packages: ['node:*'],
  },
  testing: {
    imports: [
      'base',
      'expression',
      'definition',
      ...core,
      'dialects',
      'actor',
      'executor',
      ...hosts,
      'operations',
      'api',
      'engine',
      'fleet',
    ],
    packages: [],
  },
  simulation: {
    imports: [
      'base',
      'expression',
      ...core,
      'definition',
      'actor',
      'executor',
      'hosts/memory',
      'operations',
      'engine',
      'fleet',
      'testing',
    ],
    packages: [],
  },
  http: {
    imports: [
      'base',
      'definition',
      ...core,
      'dialects',
      'actor',
      'executor',
      ...outside,
      'operations',
      'api',
      'engine',
    ],
    packages: ['hono'],
  },
  client: {
    imports: [
      'base',
      'definition',
      ...core,
      ...dialects,
      'actor',
      'executor',
      ...outside,
      'operations',
      'api',
      'engine',
      'http',
    ],
    packages: [],
  },
  cloudflare: {
    imports: [
      'telemetry',
      'base',
      'actor',
      'executor',
      'outbound',
      'webhooks',
      'operations',
      'engine',
      'fleet',
      'hosts/durable-object',
      'http',
      'client',
    ],
    packages: ['cloudflare:workers'],
  },
  server: {
    imports: [
      'telemetry',
      'outbound',
      'outbound/node',
      'base',
      'definition',
      ...core,
      'actor',
      'executor',
      ...hosts,
      'engine',
      'fleet',
      'http',
    ],
    packages: ['node:*', '@hono/node-server'],
  },
  doors: {
    imports: [
      'base',
      'expression',
      'definition',
      ...core,
      ...dialects,
      'actor',
      'credits',
      'triggers',
      'telemetry',
      'executor',
      ...outside,
      'outbound/node',
      'operations',
      'api',
      ...hosts,
      'hosts/durable-object',
      'hosts/postgres',
      'engine',
      'fleet',
      'fleet/threads',
      'copy',
      'cloudflare',
      'http',
      'client',
      'server',
      ...tests,
    ],
    packages: [],
  },
  cli: { imports: ['doors'], packages: ['node:*', 'commander'] },
  components: {
    imports: ['doors'],
    packages: ['react', 'react-dom', '@xyflow/react', '@dagrejs/dagre', '@tanstack', '@codemirror'],
  },
  web: { imports: ['doors', 'components'], packages: ['react', 'react-dom', 'wouter', 'uplot'] },
};

/** Workspaces that go through the doors by their names, as users do. */
const workspaces = { cli: 'packages/cli/src', components: 'packages/heddle-react/src', web: 'apps/web/src' };
export const isWorkspace = (room) => room in workspaces;

/** The doors that open onto Node. Every other door works on any runtime. */
export const nodeDoors = ['index', 'sqlite', 'postgres', 'server'].map((door) => `packages/heddle/src/${door}.ts`);

/** Rooms where nothing happens by itself: no clock, no dice, no waiting, no outside world. */
export const pureRooms = ['base', 'expression', 'definition', ...core, 'dialects'];

const takeTimeFromCommand = 'take the time from the command (`command.at`)';
const askForAnEffect = 'return an effect; the actor performs it after the commit';
const takeAnArgument = 'take what you need as an argument, or move the code to an outer room';

/** What has no meaning in a pure room, and what to do instead. */
export const bannedInPureRooms = new Map([
  ...['new Date()', 'Date()', 'Date.now', 'performance'].map((name) => [name, takeTimeFromCommand]),
  ...['async', 'await', 'Promise', 'queueMicrotask', 'fetch'].map((name) => [name, askForAnEffect]),
  ...['setTimeout', 'setInterval', 'setImmediate'].map((name) => [name, askForAnEffect]),
  ...['process', 'globalThis'].map((name) => [name, takeAnArgument]),
  ['Math.random', 'derive ids from counters in the state, and jitter from the ids'],
  ['crypto', 'derive ids from counters in the state, and hash with base/'],
  ['console', 'return the message as a value, or drop it'],
  ['import()', 'import it at the top of the file'],
]);

const engineRoot = 'packages/heddle/src';
export const sourceRoots = [engineRoot, ...Object.values(workspaces)];

/** What is run, not imported. */
export const programs = [
  `${workspaces.cli}/main.ts`,
  `${workspaces.components}/index.ts`,
  `${workspaces.components}/capsule/main.tsx`,
  `${workspaces.web}/main.tsx`,
];

/** The room of a file, named by its path in the repository: the innermost; undefined if it lives in none. */
export function roomOf(file) {
  const workspace = Object.keys(workspaces).find((room) => file.startsWith(`${workspaces[room]}/`));
  if (workspace) return workspace;
  if (!file.startsWith(`${engineRoot}/`)) return undefined;
  const inside = file.slice(engineRoot.length + 1);
  if (!inside.includes('/')) return 'doors';
  if (/^core\/[^/]+$/.test(inside)) return 'core/vocabulary';
  const around = Object.keys(rooms).filter((room) => !isWorkspace(room) && inside.startsWith(`${room}/`));
  return around.toSorted((a, b) => b.length - a.length)[0];
}

/** The door that a program imports by this name, as a path in the repository; undefined if it names none of ours. */
export function doorNamed(specifier) {
  const [, name, inside] = /^(heddle|heddle-react)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name === 'heddle') return `${engineRoot}/${inside ?? 'index'}.ts`;
  return name === undefined ? undefined : `${workspaces.components}/${inside ?? 'index.ts'}`;
}
