// What the acceptance tests of the thread dialect share: small drawings of nodes and connectors, looks at contexts, and a
// player that takes a scenario to its end, undisturbed or with an engine that dies whenever the run has come to rest.
//
// Every action of these tests is called `work` and waits for the test.

import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { ExecutionContext } from '../../packages/heddle/src/dialects/thread/contexts.ts';
import type { ThreadsView } from '../../packages/heddle/src/dialects/thread/view.ts';
import type { ScriptedCall } from '../../packages/heddle/src/testing/scripted-actions.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import type { AcceptanceHost } from './hosts.testsuite.ts';
import { type Fields, register, scripted } from './token-engine.testsuite.ts';

// ------------------------------------------------------------------------------------------------------- drawings

export interface DrawnNode extends Fields {
  readonly id: string;
}

/** The start takes the whole input, or just these entries: paths alone stand for mandatory ones. */
export const start = (...entries: readonly (string | Fields)[]): DrawnNode => ({
  id: 'start',
  type: 'start',
  ...(entries.length === 0 ? {} : { initialize: entries.map((entry) => pathOr(entry)) }),
});

const pathOr = (entry: string | Fields): Fields => (typeof entry === 'string' ? { path: entry } : entry);

/** An end whose result is the whole context, or these values: `{ to: from }`. */
export const end = (mappings?: Readonly<Record<string, string>>, id = 'end'): DrawnNode => ({
  id,
  type: 'end',
  ...(mappings ? { mappings: mappingsOf(mappings) } : {}),
});

/** `{ to: from }` as mappings. */
export const mappingsOf = (pairs: Readonly<Record<string, string>>): Fields[] =>
  Object.entries(pairs).map(([to, from]) => ({ to, from }));

/** An edit that writes these values and then deletes these paths. */
export const edit = (id: string, values: Fields, deletes: readonly string[] = []): DrawnNode => ({
  id,
  type: 'edit',
  upserts: Object.entries(values).map(([path, value]) => ({ path, value })),
  deletes,
});

/** Code that writes the value of an expression to a path. */
export const code = (id: string, expression: string, path = 'output'): DrawnNode => ({
  id,
  type: 'code',
  path,
  expression,
});

/** A node whose work the test does; its result is written to `output`. */
export const work = (id: string, more: Fields = {}): DrawnNode => ({ id, type: 'action', action: 'work', ...more });

/** A node whose work the test does, and of whose result only `value` is kept, as `output` or elsewhere. */
export const yields = (id: string, to = 'output', more: Fields = {}): DrawnNode =>
  work(id, { outputs: [{ to, from: 'value' }], ...more });

/** Entries are written `name` or `name: expression`; the last one is the default. */
export const choose = (id: string, ...entries: readonly string[]): DrawnNode => ({
  id,
  type: 'switch',
  entries: entries.map((entry) => {
    const [, name, expression] = /^(\w+)(?:: ([^]*))?$/.exec(entry) ?? [];
    return { name, ...(expression === undefined ? {} : { expression }) };
  }),
});

export const fanOut = (id: string, ...outputs: readonly string[]): DrawnNode => ({
  id,
  type: 'fanOut',
  ...(outputs.length === 0 ? {} : { outputs }),
});

export const fanIn = (id: string): DrawnNode => ({ id, type: 'fanIn' });

export const batch = (id: string, items: string, batchSize?: number, parallelBatches?: number): DrawnNode => ({
  id,
  type: 'batch',
  items,
  ...(batchSize === undefined ? {} : { batchSize }),
  ...(parallelBatches === undefined ? {} : { parallelBatches }),
});

export const gosub = (id: string, workflow: string, more: Fields = {}): DrawnNode => ({
  id,
  type: 'gosub',
  workflow,
  ...more,
});

export const ask = (id: string, more: Fields = {}): DrawnNode => ({ id, type: 'input', ...more });

/** Connectors are written `from->to` or `from:output->to`, several in a row as `a->b->c`. */
export function thread(
  id: string,
  nodes: readonly Fields[],
  connectors: readonly string[] = [],
  more: Fields = {},
): Fields {
  return { dialect: 'thread', id, nodes, connectors: connectors.flatMap(connectorsOf), ...more };
}

/** Nodes one after the other, from the start to the end. */
export const row = (id: string, ...nodes: readonly DrawnNode[]): Fields =>
  thread(id, nodes, [nodes.map((node) => node.id).join('->')]);

/** A fan-out whose branches are these nodes, each alone; they meet, and then comes what comes after. */
export const meeting = (branches: readonly DrawnNode[], ...after: readonly DrawnNode[]): Fields =>
  thread(
    'w',
    [start(), fanOut('fan', ...branches.map(({ id }) => id)), ...branches, fanIn('meet'), ...after],
    [
      'start->fan',
      ...branches.map(({ id }) => `fan:${id}->${id}->meet`),
      ['meet', ...after.map(({ id }) => id)].join('->'),
    ],
  );

function connectorsOf(text: string): Fields[] {
  const stations = text.split('->');
  return stations.slice(1).map((station, index) => {
    const [from, output] = (stations[index] ?? '').split(':');
    const [to] = station.split(':');
    return { from, to, ...(output === undefined ? {} : { output }) };
  });
}

// ---------------------------------------------------------------------------------------------------------- looks

/** What `ended` gives of a run that has come to its end. */
export const succeeded = (output: unknown) => ({ status: 'completed', output, error: undefined });

/** How the run stands, in the words of the thread dialect. */
export const standing = async (run: Run): Promise<string> => (await run.threads()).status;

/** The contexts of one kind. */
export async function contextsOf<K extends ExecutionContext['kind']>(
  run: Run,
  kind: K,
): Promise<Extract<ExecutionContext, { kind: K }>[]> {
  const { contexts } = await run.threads();
  return contexts.filter(({ kind: found }) => found === kind) as Extract<ExecutionContext, { kind: K }>[]; // by the filter
}

/** The only context of a kind (that a node opened). */
export async function contextOf<K extends ExecutionContext['kind']>(
  run: Run,
  kind: K,
  node?: string,
): Promise<Extract<ExecutionContext, { kind: K }>> {
  const all = await contextsOf(run, kind);
  const [found, ...others] = all.filter(
    (context) => node === undefined || ('node' in context && context.node === node),
  );
  if (found && others.length === 0) return found;
  throw new Error(`Expected one context of kind ${kind}, but found ${all.length}`);
}

/** What the threads at a node see, in the order of their making. */
export const contextsAt = async (run: Run, node: string): Promise<unknown[]> =>
  (await run.threads()).threads.filter((found) => found.node === node).map(({ context }) => context);

export async function childOf(t: TestEngine, run: Run): Promise<Run> {
  const [child, ...others] = await t.engine.runs({ subRuns: true, parentRunId: run.id });
  if (child && others.length === 0) return t.engine.run(child.runId);
  throw new Error(`Expected one sub-run of ${run.id}, but there are ${others.length + (child ? 1 : 0)}`);
}

// ------------------------------------------------------------------------------------------------------ scenarios

export interface ThreadScenario {
  /** The first one is started; the others are its sub-workflows. */
  readonly definitions: readonly [Fields, ...Fields[]];
  readonly input?: unknown;
  /** What an action answers. */
  readonly work?: (call: ScriptedCall) => unknown;
  /** Which of the waiting calls is answered first; the first in the order of workflow, node and input if absent. */
  readonly rank?: (call: ScriptedCall) => number;
  /** What people answer at a node. */
  readonly reply?: (node: string) => unknown;
}

/** What a scenario came to: the same with restarts and without, or something was lost, repeated or reordered. */
export interface Played {
  readonly status: string;
  readonly output: unknown;
  readonly error: unknown;
  /** How it stood whenever it had come to rest. */
  readonly rests: readonly string[];
  /** Every answer that was given: `node` of an action, `node?` of a prompt. */
  readonly steps: readonly string[];
  /** The most actions that were under way at one time. */
  readonly peak: number;
  /** How often nodes were executed: `workflow/node status`. */
  readonly executions: Readonly<Record<string, number>>;
  /** What sub-runs came to. */
  readonly children: readonly unknown[];
  /** What an audit finds, and what a restart changed in the views. */
  readonly problems: readonly unknown[];
}

const stepsMax = 200;
/** A task that is under way through a whole scenario is lost at every step of it. */
const options = { ...scripted, limits: { dispatchesMax: 10_000 } };

export async function playThreads(
  host: AcceptanceHost,
  scenario: ThreadScenario,
  how: 'undisturbed' | 'restarts',
): Promise<Played> {
  let t = await host.open(options);
  await register(t.engine, ...scenario.definitions.toReversed());
  const { id } = await t.engine.start(String(scenario.definitions[0]['id']), scenario.input ?? {});
  await t.settle();
  const progress: Progress = { rests: [], steps: [], peak: 0, changes: [] };
  for (let step = 0; step < stepsMax; step++) {
    if (how === 'restarts') t = await restartAtRest(host, t, progress);
    progress.rests.push(await standing(t.engine.run(id)));
    if (!(await takeStep(t, t.engine.run(id), scenario, progress))) return outcomeOf(t, t.engine.run(id), progress);
  }
  throw new Error(`Expected the run to end within ${stepsMax} steps, but it did not`);
}

interface Progress {
  readonly rests: string[];
  readonly steps: string[];
  peak: number;
  readonly changes: unknown[];
}

/** The engine dies with whatever is under way; the next one must show every run as it was. */
async function restartAtRest(host: AcceptanceHost, t: TestEngine, { changes }: Progress): Promise<TestEngine> {
  const before = await viewAll(t);
  const next = await host.restart(t, options);
  await next.settle();
  const after = await viewAll(next);
  if (JSON.stringify(before) !== JSON.stringify(after)) changes.push({ before, after });
  return next;
}

async function viewAll(t: TestEngine): Promise<readonly ThreadsView[]> {
  const runs = await t.engine.runs({ subRuns: true, limit: 100 });
  return Promise.all(runs.map(({ runId }) => t.engine.run(runId).threads()));
}

/** Answers one call, or else a prompt, or moves on to the next alarm; false if there is none of them. */
async function takeStep(t: TestEngine, run: Run, scenario: ThreadScenario, progress: Progress): Promise<boolean> {
  const calls = openCalls(t, scenario);
  progress.peak = Math.max(progress.peak, calls.length);
  const [call] = calls;
  const [prompt] = await run.prompts();
  const nextAt = t.clock.nextAt;
  if (call) {
    progress.steps.push(call.nodeId);
    call.complete(scenario.work?.(call));
  } else if (prompt) {
    progress.steps.push(`${prompt.nodeId}?`);
    await run.reply(prompt.correlationId, scenario.reply?.(prompt.nodeId) ?? null);
  } else if (nextAt === null) return false;
  else await t.advance(Math.max(nextAt - t.clock.now(), 0));
  await t.settle();
  return true;
}

function openCalls(t: TestEngine, { rank = () => 0 }: ThreadScenario): ScriptedCall[] {
  const open = t.script.calls.filter((call) => !call.isAnswered && !call.signal.aborted);
  return open.toSorted((a, b) => rank(a) - rank(b) || keyOf(a).localeCompare(keyOf(b)));
}

const keyOf = ({ workflow, nodeId, input }: ScriptedCall): string => JSON.stringify([workflow, nodeId, input]);

async function outcomeOf(t: TestEngine, run: Run, { changes, ...progress }: Progress): Promise<Played> {
  const { output, error } = await run.summary();
  const runs = await t.engine.runs({ subRuns: true, limit: 100 });
  const executions: Record<string, number> = {};
  for (const { runId, workflow } of runs.toReversed()) {
    for (const { node, status } of await t.engine.run(runId).tokens()) {
      const key = `${workflow}/${node} ${status}`;
      executions[key] = (executions[key] ?? 0) + 1;
    }
  }
  const children = runs
    .filter(({ runId }) => runId !== run.id)
    .map((child) => [child.workflow, child.status, child.output ?? null])
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  const { problems } = await t.engine.audit();
  return {
    ...progress,
    status: await standing(run),
    output: output ?? null,
    error: error?.code ?? null,
    executions,
    children,
    problems: [...problems, ...changes],
  };
}
