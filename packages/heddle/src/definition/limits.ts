// Limits: every bound of the engine, its default and its reason. None is unlimited; all can be set when an engine is
// made, and lowered for one definition by its `limits`. Whoever exceeds one gets an error that names it.

export interface Limits {
  readonly nodesPerRunMax: number;
  readonly tokensAliveMax: number;
  readonly branchesPerFanOutMax: number;
  readonly branchDepthMax: number;
  readonly loopIterationsMax: number;
  readonly nestingMax: number;
  readonly descendantsMax: number;
  readonly dispatchesMax: number;
  readonly dispatchWindow: number;
  readonly dispatchWindowBytes: number;
  readonly spawnWindow: number;
  readonly timersPerAlarmMax: number;
  readonly handleNodesMax: number;
  readonly payloadBytesMax: number;
  readonly stepsPerTaskMax: number;
  readonly stepBytesPerTaskMax: number;
  readonly mergedBytesMax: number;
  readonly artifactBytesMax: number;
  readonly jsonDepthMax: number;
  readonly jsonNodesMax: number;
  readonly jsonKeysMax: number;
  readonly definitionBytesMax: number;
  readonly definitionNodesMax: number;
  readonly definitionTransitionsMax: number;
  readonly definitionAnalysisMax: number;
  readonly expressionLengthMax: number;
  readonly expressionDepthMax: number;
  readonly expressionCostMax: number;
  readonly commandCostMax: number;
  readonly commandBytesMax: number;
  readonly mailboxMax: number;
  readonly commandsPerCommitMax: number;
  readonly idleRunsMax: number;
  readonly snapshotEveryBytes: number;
  readonly traceBytesMax: number;
  readonly traceValueBytesMax: number;
  readonly concurrencyPerProcess: number;
  readonly concurrencyPerRun: number;
  readonly concurrencyPerAction: number;
  readonly timeoutMsMax: number;
  readonly eventTtlMsMax: number;
  readonly triggersMax: number;
  readonly triggerDepthMax: number;
  readonly queuedRunsMax: number;
  readonly catchUpMax: number;
  readonly secretsMax: number;
  readonly callbacksMax: number;
  readonly leaseMsDefault: number;
  readonly leaseMsMax: number;
  readonly leaseTasksMax: number;
  readonly leaseWaitMsMax: number;
  readonly leasePollsMax: number;
  readonly announcedActionsMax: number;
  readonly workersMax: number;
}

export const defaultLimits: Limits = {
  /** Tokens (visits to a node) of a run with all its descendants: stops a loop that nobody bounded. */
  nodesPerRunMax: 1_000_000,
  /** Tokens that live at one time in one run: 330 bytes each, with a branch of its own. */
  tokensAliveMax: 250_000,
  /** Branches of one fan-out; a larger list belongs into slices. */
  branchesPerFanOutMax: 100_000,
  /** Fan-outs inside fan-outs: every read walks this chain. */
  branchDepthMax: 64,
  /** The most that a `loop.maxIterations` may ask for. */
  loopIterationsMax: 1_000_000,
  /** Sub-workflows inside sub-workflows. */
  nestingMax: 32,
  /** Sub-runs below one root, at any depth: stops recursion storms. */
  descendantsMax: 100_000,
  /** Hand-outs of one task that were lost (crashes, lost leases) before it fails with TASK_LOST. */
  dispatchesMax: 20,
  /** Tasks of one run that are handed to the executor ahead of their turn. */
  dispatchWindow: 1_024,
  /** Inputs and remembered steps of the tasks of one run that have not ended: they are in memory and in its snapshots. */
  dispatchWindowBytes: 67_108_864,
  /** Branches that begin at a time; the next follow when those have come to rest. */
  spawnWindow: 1_000,
  /** Due timers that one command fires; the rest follow in the next. */
  timersPerAlarmMax: 1_000,
  /** Nodes that a run of a handle definition executes: such graphs are walked one node at a time. */
  handleNodesMax: 50,
  /** One input, one result, one value of an expression, as JSON text. */
  payloadBytesMax: 4_194_304,
  /** Steps of one task that are remembered, and their results together, as JSON text: they are in the run's snapshots. */
  stepsPerTaskMax: 1_000,
  stepBytesPerTaskMax: 16_777_216,
  /** What one join merges from all its branches, as JSON text. */
  mergedBytesMax: 67_108_864,
  /** One artifact: it is in memory, whole, when it is put or read. */
  artifactBytesMax: 67_108_864,
  /** `JSON.stringify` fails at about 4,100 levels; people need ten. */
  jsonDepthMax: 200,
  /** Values in JSON text that comes over a network, lists and objects among them: 0.4 µs each until a run has it. */
  jsonNodesMax: 500_000,
  /** Different keys in such a text: 4 µs each, for every object that has thousands of them is slow to make and to walk. */
  jsonKeysMax: 50_000,
  definitionBytesMax: 4_194_304,
  definitionNodesMax: 10_000,
  definitionTransitionsMax: 50_000,
  /** Steps of tracing the loops and fan-outs of one definition: stops a graph that would keep registering busy. */
  definitionAnalysisMax: 10_000_000,
  expressionLengthMax: 10_000,
  expressionDepthMax: 64,
  /** Abstract steps of one evaluation: two nested macros use up a million in about 20 ms. */
  expressionCostMax: 1_000_000,
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
  /** Journal text of a run after which a snapshot saves replaying it: a megabyte of events takes 15 to 24 ms. */
  snapshotEveryBytes: 1_048_576,
  /** Trace events of one run that are kept, as JSON text; the oldest are. */
  traceBytesMax: 4_194_304,
  /** One value in a trace event, as JSON text; of a larger one the beginning is kept. */
  traceValueBytesMax: 4_096,
  /** Actions under way at one time: in the process, of one run (so that none takes all), of one action. */
  concurrencyPerProcess: 1_024,
  concurrencyPerRun: 512,
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
  /** Callbacks: each has an alarm and up to four requests under way. */
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
  /** Workers that are remembered, for whoever looks; those that were silent longest are forgotten first. */
  workersMax: 1_000,
};

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
  return limitOrigin(limit, { limits: engine, ownLimits, ...(workflow === undefined ? {} : { id: workflow }) });
}

export interface TaskLimits<Name extends keyof Limits> {
  readonly limits: Pick<Limits, Name>;
  readonly engine: Limits;
  readonly workflow?: string;
}
