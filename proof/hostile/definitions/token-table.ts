// Token table: what each field of a token definition takes, from the guide "Definitions" and the rules DF….

import {
  anything,
  condition,
  either,
  expression,
  flag,
  list,
  map,
  name,
  number,
  object,
  path,
  reference,
  schema,
  type Takes,
  text,
  whole,
  word,
  yes,
} from './takes.ts';

const century = 3_155_760_000_000;
const sections = ['input', 'state', 'output'];
const reading = [...sections, '_trigger', '_branch', '_batch'];
const routing = [...reading, 'result'];
const merging = [...sections, '_branch', '_batch'];
const strategies = ['append', 'collect', 'concat', 'merge_object', 'keyed_by_branch', 'last_wins', 'output_merge'];

export const retry = object({
  'maxAttempts!': whole(1, 1_000_000, 'OUT_OF_RANGE'),
  backoff: word('none', 'linear', 'exponential'),
  initialDelayMs: whole(0, century),
  maxDelayMs: whole(0, century),
  jitter: number(0, 1),
  retryableErrors: list(text),
});

export const action = either(name('action'), object({ 'name!': name('action'), version: whole(1) }));

const wait = object(
  {
    seconds: either(number(0, 3_155_760_000), expression(...reading)),
    until: either(number(0, 8_640_000_000_000_000), expression(...reading)),
    event: name('id'),
    correlation: expression(...reading),
    timeoutMs: whole(1, century),
    since: word('start', 'wait', 'any'),
    once: flag,
  },
  { oneOf: ['seconds', 'until', 'event'] },
);

export const deadlineMs = whole(1, century);
const promptText = either(text, object({ 'expression!': expression(...reading) }));
const prompt = object({ title: promptText, description: promptText, schema, deadlineMs });

const batch = object({
  'items!': path('items'),
  batchSize: whole(0, 1_000_000_000, 'OUT_OF_RANGE'),
  parallelBatches: whole(1, 100_000),
  merge: object({ source: expression(...merging), target: path('section'), 'strategy!': word(...strategies) }),
});

const workflow = either(
  name('workflow'),
  object({
    'id|workflowId|workflowDefId!': name('workflow'),
    version: whole(1),
    onFailure: word('propagate', 'catch'),
    timeoutMs: whole(1, century),
    inheritArtifacts: flag,
  }),
);

const node = object({
  'id!': name('id'),
  name: text,
  action,
  'workflow|workflowCall': workflow,
  wait,
  input: either(yes, prompt),
  batch,
  inputMapping: map('keys', expression(...reading)),
  outputMapping: map('section', expression(...routing)),
  'retry|retryPolicy': retry,
  timeoutMs: whole(1, century),
  cost: whole(0),
  summary: expression('input', 'state', 'result'),
  meta: anything,
  execution: object({ 'retry|retryPolicy': retry, timeoutMs: whole(1, century) }),
  fanOut: word('all', 'first_match'),
  fanIn: either(word('any', 'all'), object({ 'mOfN!': either(whole(1, 100_000), expression(...sections)) })),
});

const merge = object({
  source: expression(...merging),
  'target!': path('section'),
  'strategy!': word(...strategies),
});

const synchronization = object({
  siblingGroup: reference('UNKNOWN_GROUP'),
  strategy: either(word('any', 'all'), object({ 'mOfN!': either(whole(1, 100_000), expression(...sections)) })),
  timeoutMs: whole(0, century),
  onTimeout: word('fail', 'proceed_with_available'),
  onEarlyComplete: word('cancel', 'abandon'),
  merge,
  over: word('edges'),
  require: word('some', 'all'),
});

const transition = object({
  id: name('id'),
  'from|fromNode|fromNodeId!': reference('UNKNOWN_NODE'),
  'to|toNode|toNodeId!': reference('UNKNOWN_NODE'),
  priority: whole(Number.MIN_SAFE_INTEGER),
  condition: either(condition(...routing), flag),
  on: word('success', 'failure', 'any', 'slice'),
  spawnCount: whole(1, 100_000),
  'foreach|forEach': object({
    'collection!': expression(...reading),
    itemVar: name('variable'),
    maxParallel: whole(1, 100_000),
  }),
  siblingGroup: name('group'),
  onBranchFailure: word('fail', 'end'),
  maxFailures: whole(0, 100_000),
  emptyJoin: reference('UNKNOWN_JOIN'),
  'loop|loopConfig': object({ 'maxIterations!': whole(1, 1_000_000) }),
  synchronization,
  meta: anything,
});

/** Those that a definition may lower, with what an engine has if nobody says otherwise. */
const limits: Takes = object({
  nodesPerRunMax: whole(1, 1_000_000),
  tokensAliveMax: whole(1, 250_000),
  branchesPerFanOutMax: whole(1, 100_000),
  branchDepthMax: whole(1, 64),
  loopIterationsMax: whole(1, 1_000_000),
  nestingMax: whole(1, 32),
  descendantsMax: whole(1, 100_000),
  handleNodesMax: whole(1, 50),
  dispatchesMax: whole(1, 20),
  payloadBytesMax: whole(1, 4_194_304),
  mergedBytesMax: whole(1, 67_108_864),
  artifactBytesMax: whole(1, 67_108_864),
  expressionCostMax: whole(1, 1_000_000),
  concurrencyPerRun: whole(1, 512),
});

/** What definitions of all dialects have. */
export const common = {
  $schema: text,
  'id!': name('workflow'),
  version: whole(1),
  name: text,
  description: text,
  timeoutMs: whole(1, century),
  limits,
  meta: anything,
};

export const tokenTable = object({
  ...common,
  dialect: word('token'),
  inputSchema: schema,
  stateSchema: schema,
  outputSchema: schema,
  outputMapping: map('keys', expression(...reading)),
  'initialNode|initialNodeId!': reference('UNKNOWN_NODE'),
  'nodes!': list(node, { least: 1, unique: 'id' }),
  transitions: list(transition, { unique: 'id' }),
  summary: expression(...sections),
  inputPolicy: word('open', 'serial'),
});
