// Limits: the bounds that users may set when an engine is made, each with its default and its reason; none is unlimited.
// What exceeds one gets an error that names it. A limit is added here and nowhere else.
// Always true: a definition lowers the limits that are `lowerable`, for its own runs, and raises none.

import { given } from '../base/given.ts';
import { keysIn } from '../base/keys-in.ts';
import type { Field } from './shape.ts';

/** A limit that a definition may lower for its own runs. The others belong to the engine as a whole. */
interface LowerableLimit {
  readonly byDefault: number;
  /** For authors of definitions: it is in the published schema. */
  readonly description: string;
}

function lowerable(byDefault: number, description: string): LowerableLimit {
  return { byDefault, description };
}

const allLimits = {
  /** Tokens (visits to a node) of a run with all its descendants: stops a loop that nobody bounded. */
  nodesPerRunMax: lowerable(1_000_000, 'Node visits of a run with all its descendants.'),
  /** Tokens that live at one time in one run: 330 bytes each, with a branch of its own. */
  tokensAliveMax: lowerable(250_000, 'Tokens that live at one time.'),
  /** Branches of one fan-out; a larger list belongs into slices. */
  branchesPerFanOutMax: lowerable(100_000, 'Branches of one fan-out.'),
  /** Fan-outs inside fan-outs: every read walks this chain. */
  branchDepthMax: lowerable(64, 'Fan-outs inside fan-outs.'),
  /** The most that a `loop.maxIterations` may ask for. */
  loopIterationsMax: lowerable(1_000_000, 'The most that a loop may go round.'),
  /** Sub-workflows inside sub-workflows. */
  nestingMax: lowerable(32, 'Sub-workflows inside sub-workflows.'),
  /** Sub-runs below one root, at any depth: stops recursion storms. */
  descendantsMax: lowerable(100_000, 'Sub-runs below one root, at any depth.'),
  /** Nodes that a run of a handle definition executes: such graphs are walked one node at a time. */
  handleNodesMax: lowerable(50, 'Nodes that a run of a handle definition executes.'),
  /** Hand-outs of one task that were lost (crashes, lost leases) before it fails with TASK_LOST. */
  dispatchesMax: lowerable(20, 'Hand-outs of one task that were lost before it fails.'),
  /** Tasks of one run that are handed to the executor ahead of their turn. */
  dispatchWindow: 1_024,
  /** Inputs and remembered steps of the tasks of one run that have not ended: they are in memory and in its snapshots. */
  dispatchWindowBytes: 67_108_864,
  /** Branches that begin at a time; the next follow when those have come to rest. */
  spawnWindow: 1_000,
  /** Due timers that one command fires; the rest follow in the next. */
  timersPerAlarmMax: 1_000,
  /** One input, one result, one value of an expression, as JSON text. */
  payloadBytesMax: lowerable(4_194_304, 'One input, one result, one value, as JSON text.'),
  /** Steps of one task that are remembered. */
  stepsPerTaskMax: 1_000,
  /** Their results together, as JSON text: they are in the run's snapshots. */
  stepBytesPerTaskMax: 16_777_216,
  /** What one join merges from all its branches, as JSON text. */
  mergedBytesMax: lowerable(67_108_864, 'What one join merges from all its branches, as JSON text.'),
  /** One artifact: it is in memory, whole, when it is put or read. */
  artifactBytesMax: lowerable(67_108_864, 'One artifact, in bytes.'),
  /** `JSON.stringify` fails at about 4,100 levels; people need ten. */
  jsonDepthMax: 200,
  /** Values in JSON text that comes over a network, lists and objects among them: 0.4 µs each until a run has it. */
  jsonNodesMax: 500_000,
  /** Different keys in such a text: 4 µs each, for every object that has thousands of them is slow to make and to walk. */
  jsonKeysMax: 50_000,
  /** One definition, as JSON text. */
  definitionBytesMax: 4_194_304,
  /** Nodes of one definition. */
  definitionNodesMax: 10_000,
  /** Transitions of one definition. */
  definitionTransitionsMax: 50_000,
  /** Steps of tracing the loops and fan-outs of one definition: stops a graph that would keep registering busy. */
  definitionAnalysisMax: 10_000_000,
  /** Characters of one expression. */
  expressionLengthMax: 10_000,
  /** Levels of one expression; long chains of `&&` or `+` count as one. */
  expressionDepthMax: 64,
  /** Abstract steps of one evaluation: two nested macros use up a million in about 20 ms. */
  expressionCostMax: lowerable(1_000_000, 'Steps of one evaluation of an expression.'),
  /** Steps of all that one command of a run leads to (expressions, checks, 100 a token): 100 to 250 ms. */
  commandCostMax: 5_000_000,
  /** Values that the events of one command hold, as JSON text: they are one text of the journal. */
  commandBytesMax: 67_108_864,
  /** Commands that wait for one run. */
  mailboxMax: 1_000_000,
  /** Commands that share one transaction: more saves nothing and makes the first wait. */
  commandsPerCommitMax: 2_000,
  /** Runs with nothing to do that stay in memory in case they are wanted again. */
  idleRunsMax: 256,
  /**
   * Journal text of a run after which a snapshot saves replaying it: a megabyte of events takes 15 to 24 ms to replay, a
   * snapshot of a fan-out of that size 40 ms to make.
   */
  snapshotEveryBytes: 2_097_152,
  /** Trace events of one run that are kept, as JSON text; the oldest are. */
  traceBytesMax: 4_194_304,
  /** One value in a trace event, as JSON text; of a larger one the beginning is kept. */
  traceValueBytesMax: 4_096,
  /** Actions that run at one time in the process. */
  concurrencyPerProcess: 1_024,
  /** Of one run, so that none takes all. */
  concurrencyPerRun: lowerable(512, 'Actions of one run under way at one time.'),
  /** Of one action. */
  concurrencyPerAction: 1_024,
  /** A hundred years: longer is a mistake in the unit. */
  timeoutMsMax: 3_155_760_000_000,
  /** Thirty days: the longest that a published event is kept for waits that begin later. */
  eventTtlMsMax: 2_592_000_000,
  /** Triggers are all in memory, about a kilobyte each. */
  triggersMax: 10_000,
  /** Workflows that start workflows through triggers: a chain of this length fires nothing more. */
  triggerDepthMax: 3,
  /** Occurrences of one schedule that wait for its run before to end. */
  queuedRunsMax: 100,
  /** The most occurrences missed in a downtime that one schedule may ask to make up for. */
  catchUpMax: 1_000,
  /** Secrets are listed whole. */
  secretsMax: 1_000,
  /** Drafts of workflows: each may be as large as a definition. */
  draftsMax: 1_000,
  /** All drafts together, as JSON text: a thousand as large as a definition may be would be four gigabytes. */
  draftsBytesMax: 268_435_456,
  /** Workflows with a retention rule of their own: all rules are read for one sweep. */
  retentionRulesMax: 10_000,
  /** Callbacks: each has an alarm and up to four requests in flight. */
  callbacksMax: 100,
  /** How long a worker has a task without a word: after that it counts as dead, and somebody else gets the task. */
  leaseMsDefault: 30_000,
  /** An hour: the longest that a worker may be silent. It may work longer, if it says so now and then. */
  leaseMsMax: 3_600_000,
  /** Tasks that one call leases, answers or extends: they share one commit. */
  leaseTasksMax: 1_000,
  /** The longest that a call waits for tasks; what lies between gives up on connections that are silent for longer. */
  leaseWaitMsMax: 60_000,
  /** Calls that wait for tasks at one time, about a kilobyte each. */
  leasePollsMax: 10_000,
  /** Actions that workers have announced, all in memory, and names that one call may ask for. */
  announcedActionsMax: 10_000,
  /** What is announced of one action, as JSON text: its schemas above all. */
  announcementBytesMax: 65_536,
  /** Workers that are remembered, for display; those that were silent longest are forgotten first. */
  workersMax: 1_000,
} satisfies Readonly<Record<string, number | LowerableLimit>>;

export type Limits = { readonly [Name in keyof typeof allLimits]: number };

const entries = keysIn(allLimits).map((name): readonly [keyof Limits, number | LowerableLimit] => [
  name,
  allLimits[name],
]);

export const defaultLimits = Object.fromEntries(
  entries.map(([limit, set]) => [limit, typeof set === 'number' ? set : set.byDefault]),
) as Limits; // `allLimits` has every name

/** The fields `limits` of a definition. */
export const limitFields: Readonly<Record<string, Field>> = Object.fromEntries(
  entries.flatMap(([limit, set]): readonly (readonly [string, Field])[] => {
    if (typeof set === 'number') return [];
    return [[limit, { shape: { type: 'number', integer: true, min: 1, limit }, description: set.description }]];
  }),
);

/** Levels of JSON that may lie around a value of `jsonDepthMax` levels: a request's body, or a snapshot's some ten. */
export const wrappingLevels = 32;

/** Who set the limits: a graph, or an engine alone. */
export interface LimitSetter {
  readonly limits: Limits;
  /** Those that a definition has lowered, and its id. */
  readonly ownLimits?: ReadonlySet<string>;
  readonly id?: string;
}

// DF65: who meets a limit is told where it was set, and so where it can be raised.
export function limitOrigin(limit: keyof Limits, { limits, ownLimits, id }: LimitSetter): string {
  if (ownLimits?.has(limit))
    return `"limits" of ${id === undefined ? 'the workflow' : `workflow ${id}`} sets it, raise it there`;
  const setter = limits[limit] === defaultLimits[limit] ? 'it is the default' : 'the engine was made with it';
  return `${setter}, raise it with createEngine({ limits: { ${limit}: … } })`;
}

/** The same for one limit of a task, whose workflow may have lowered it. */
export function taskLimitOrigin<Name extends keyof Limits>(
  limit: Name,
  { limits, engine, workflow }: TaskLimits<Name>,
): string {
  const ownLimits = new Set(limits[limit] < engine[limit] ? [limit] : []);
  return limitOrigin(limit, { limits: engine, ownLimits, ...given({ id: workflow }) });
}

export interface TaskLimits<Name extends keyof Limits> {
  readonly limits: Pick<Limits, Name>;
  readonly engine: Limits;
  readonly workflow?: string;
}
