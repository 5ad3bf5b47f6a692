import { describe, expect, test } from 'vitest';
import type { Problem } from '../base/problem.ts';
import { parseDefinition } from '../dialects/parse.ts';
import { accepted } from './definitions.testsuite.ts';
import { defaultLimits } from './limits.ts';

/** A definition that is right but for its parts. */
function define(parts: object): object {
  return { id: 'w', initialNode: 'a', nodes: [{ id: 'a' }], ...parts };
}

function lineOf({ severity, code, pointer, message, hint }: Problem): string {
  return `${severity} ${code} ${pointer}: ${message}${hint === undefined ? '' : ` | ${hint}`}`;
}

interface Case {
  readonly name: string;
  readonly source: unknown;
  readonly problems: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: '[DF1] an unknown field in the definition',
    source: define({ policy: 'dataflow' }),
    problems: [
      'error UNKNOWN_FIELD /policy: Expected only known fields in a workflow definition, but found "policy" | Known are $schema, dialect, id, version, name, description, inputSchema, stateSchema, outputSchema, outputMapping, initialNode, nodes, transitions, summary, timeoutMs, inputPolicy, limits, meta.',
    ],
  },
  {
    name: '[DF1] a mistyped field',
    source: define({ nodes: [{ id: 'a', retires: 1, outputMaping: {} }] }),
    problems: [
      'error UNKNOWN_FIELD /nodes/0/retires: Expected only known fields in node "a", but found "retires" | Known are id, name, action, workflow, wait, input, batch, inputMapping, outputMapping, retry, timeoutMs, cost, summary, meta.',
      'error UNKNOWN_FIELD /nodes/0/outputMaping: Expected only known fields in node "a", but found "outputMaping" | Did you mean "outputMapping"?',
    ],
  },
  {
    name: '[DF1] an unknown field deep inside',
    source: define({ nodes: [{ id: 'a', action: 'x', retry: { maxAttempts: 1, delay: 5 } }] }),
    problems: [
      'error UNKNOWN_FIELD /nodes/0/retry/delay: Expected only known fields in a retry policy of node "a", but found "delay" | Known are maxAttempts, backoff, initialDelayMs, maxDelayMs, jitter, retryableErrors.',
    ],
  },
  {
    name: '[DF1] a field called like something of JavaScript',
    source: define({ constructor: 1, toString: 2 }),
    problems: [
      'error UNKNOWN_FIELD /constructor: Expected only known fields in a workflow definition, but found "constructor" | Known are $schema, dialect, id, version, name, description, inputSchema, stateSchema, outputSchema, outputMapping, initialNode, nodes, transitions, summary, timeoutMs, inputPolicy, limits, meta.',
      'error UNKNOWN_FIELD /toString: Expected only known fields in a workflow definition, but found "toString" | Known are $schema, dialect, id, version, name, description, inputSchema, stateSchema, outputSchema, outputMapping, initialNode, nodes, transitions, summary, timeoutMs, inputPolicy, limits, meta.',
    ],
  },
  {
    name: '[DF2] wrong types everywhere',
    source: {
      id: 7,
      initialNode: null,
      nodes: {},
      transitions: 'none',
      version: 1.5,
      name: 1,
      inputSchema: 'x',
      limits: [],
      timeoutMs: '1',
    },
    problems: [
      'error WRONG_TYPE /id: Expected "id" to be a workflow name, but found 7',
      'error WRONG_TYPE /initialNode: Expected "initialNode" to be a node id, but found null',
      'error WRONG_TYPE /nodes: Expected "nodes" to be a list, but found an object',
      'error WRONG_TYPE /transitions: Expected "transitions" to be a list, but found the text "none"',
      'error WRONG_TYPE /version: Expected "version" to be a whole number, but found 1.5',
      'error WRONG_TYPE /name: Expected "name" to be a text, but found 1',
      'error WRONG_TYPE /inputSchema: Expected "inputSchema" to be a JSON Schema (an object, true or false), but found the text "x"',
      'error WRONG_TYPE /limits: Expected "limits" to be limits (an object), but found a list',
      'error WRONG_TYPE /timeoutMs: Expected "timeoutMs" to be a whole number, but found the text "1"',
    ],
  },
  {
    name: '[DF2] not an object',
    source: 'a workflow',
    problems: [
      'error WRONG_TYPE : Expected a workflow definition (an object), but found the text "a workflow" | Hand in what the file holds, not its name: JSON.parse(await readFile(name, "utf8")).',
    ],
  },
  {
    name: '[DF2] a list',
    source: [],
    problems: [
      'error WRONG_TYPE : Expected a workflow definition (an object), but found a list | Definitions are handed in one at a time.',
    ],
  },
  {
    name: '[DF2] wrong types in a node',
    source: define({ nodes: [7, { id: 'a', action: 5, inputMapping: { a: 1 }, wait: 3, cost: -1 }] }),
    problems: [
      'error WRONG_TYPE /nodes/0: Expected "nodes[0]" to be a node (an object), but found 7',
      'error WRONG_TYPE /nodes/1/action: Expected "action" of node "a" to be an action name or an action (an object), but found 5',
      'error WRONG_TYPE /nodes/1/inputMapping/a: Expected "a" of node "a" to be an expression, but found 1 | Write it as a text: "1".',
      'error WRONG_TYPE /nodes/1/wait: Expected "wait" of node "a" to be a wait (an object), but found 3 | Write {"seconds": 10}, {"until": "input.due"} or {"event": "payment.received"}.',
      'error OUT_OF_RANGE /nodes/1/cost: Expected "cost" of node "a" to be a whole number of at least 0, but found -1',
      'error SEVERAL_KINDS_OF_WORK /nodes/1: Expected one kind of work in node "a", but found "action", "wait"',
    ],
  },
  {
    name: '[DF2] whole numbers that JSON does not hold exactly',
    source: define({ version: 1e300, nodes: [{ id: 'a', action: 'x', cost: 2 ** 53 }] }),
    problems: [
      'error OUT_OF_RANGE /nodes/0/cost: Expected "cost" of node "a" to be a whole number of at least 0 and at most 9007199254740991, but found 9007199254740992',
      'error OUT_OF_RANGE /version: Expected "version" to be a whole number of at least 1 and at most 9007199254740991, but found 1e+300',
    ],
  },
  {
    name: '[DF56] a value, an unknown field, a second name and a second id at themselves; what is missing, or one of several, at the object',
    source: define({
      initialNode: 'a',
      nodes: [{ id: 'a', zzz: 1, retry: {} }, { id: 'a' }, { id: 'b', wait: { seconds: 1, until: 2 } }, {}],
      transitions: [{ from: 'a', from_node: 'a', to: 'b', condition: { and: [{ field: 'input.a', op: '==' }] } }],
    }),
    problems: [
      'error UNKNOWN_FIELD /nodes/0/zzz: Expected only known fields in node "a", but found "zzz" | Known are id, name, action, workflow, wait, input, batch, inputMapping, outputMapping, retry, timeoutMs, cost, summary, meta.',
      'error MISSING_FIELD /nodes/0/retry: Expected a retry policy of node "a" to have "maxAttempts", but it has none',
      'error DUPLICATE_FIELD /nodes/2/wait: Expected only one of them, but found "seconds" and "until"',
      'error MISSING_FIELD /nodes/3: Expected a node to have "id", but it has none',
      'error DUPLICATE_FIELD /transitions/0/from_node: Expected only one of them, but found "from" and "from_node"',
      'error DUPLICATE_ID /nodes/1/id: Expected node ids to be unique, but "a" is also the one at /nodes/0/id',
      'error INVALID_CONDITION /transitions/0/condition/and/0: Expected a condition with == to have "value", but it has none, in the condition of transition "a->b"',
    ],
  },
  {
    name: '[DF57] names that are not printable, in messages',
    source: define({ initialNode: '\u001b[2J', nodes: [{ id: 'a', action: 'x' }] }),
    problems: [
      'error INVALID_NAME /initialNode: Expected "initialNode" to be a node id, but found the text "\\u001b[2J" | Ids have 1 to 200 printable characters.',
      'error UNKNOWN_NODE /initialNode: Expected "initialNode" to name a node, but there is no "\\u001b[2J"',
    ],
  },
  {
    name: '[DF50] a group that is called like nothing at all is told of once',
    source: define({ transitions: [{ from: 'a', to: 'a', siblingGroup: '', loop: { maxIterations: 1 } }] }),
    problems: [
      'error INVALID_NAME /transitions/0/siblingGroup: Expected "siblingGroup" of transition "a->a" to be a group name, but found the text "" | Ids have 1 to 200 printable characters.',
      'warning FAN_OUT_UNJOINED /transitions/0: Expected a join for group "" of transition "a->a", but none can be reached | What its branches write will be discarded.',
    ],
  },
  {
    name: '[DF2] wrong types in a transition',
    source: define({
      transitions: [
        { from: 'a', to: 'a', condition: 5, foreach: true, loop: 3, priority: 1.5, synchronization: 'all' },
      ],
    }),
    problems: [
      'error WRONG_TYPE /transitions/0/condition: Expected "condition" of transition "a->a" to be an expression or true or false or a structured condition, but found 5',
      'error WRONG_TYPE /transitions/0/foreach: Expected "foreach" of transition "a->a" to be a foreach (an object), but found true',
      'error WRONG_TYPE /transitions/0/loop: Expected "loop" of transition "a->a" to be a loop (an object), but found 3',
      'error WRONG_TYPE /transitions/0/priority: Expected "priority" of transition "a->a" to be a whole number, but found 1.5',
      'error WRONG_TYPE /transitions/0/synchronization: Expected "synchronization" of transition "a->a" to be a synchronization (an object), but found the text "all"',
    ],
  },
  {
    name: '[DF2] counts below 1',
    source: define({ transitions: [{ from: 'a', to: 'a', spawnCount: 0, loop: { maxIterations: 0 } }] }),
    problems: [
      'error OUT_OF_RANGE /transitions/0/spawnCount: Expected "spawnCount" of transition "a->a" to be a whole number of at least 1, but found 0',
      'error OUT_OF_RANGE /transitions/0/loop/maxIterations: Expected "maxIterations" of transition "a->a" to be a whole number of at least 1, but found 0',
    ],
  },
  {
    name: '[DF2] an unknown strategy',
    source: define({
      transitions: [{ from: 'a', to: 'b', spawnCount: 2, synchronization: { strategy: 'al' } }],
      nodes: [{ id: 'a' }, { id: 'b' }],
    }),
    problems: [
      'error UNKNOWN_VALUE /transitions/0/synchronization/strategy: Expected "strategy" of transition "a->b" to be "any" or "all" or a quorum {"mOfN": n} (an object), but found the text "al" | Did you mean "all"?',
    ],
  },
  {
    name: '[DF2] an unknown merge strategy, a wrong quorum',
    source: define({
      transitions: [
        {
          from: 'a',
          to: 'b',
          spawnCount: 2,
          synchronization: { strategy: { mOfN: 0 }, merge: { target: 'state.x', strategy: 'zip' } },
        },
      ],
      nodes: [{ id: 'a' }, { id: 'b' }],
    }),
    problems: [
      'error OUT_OF_RANGE /transitions/0/synchronization/strategy/mOfN: Expected "mOfN" of transition "a->b" to be a whole number of at least 1, but found 0',
      'error UNKNOWN_VALUE /transitions/0/synchronization/merge/strategy: Expected "strategy" of transition "a->b" to be "append" or "collect" or "concat" or "merge_object" or "keyed_by_branch" or "last_wins" or "output_merge", but found the text "zip"',
    ],
  },
  {
    name: '[DF2] negative times',
    source: define({
      timeoutMs: -1,
      nodes: [{ id: 'a', action: 'x', timeoutMs: 0, retry: { maxAttempts: 0, initialDelayMs: -1, jitter: 2 } }],
    }),
    problems: [
      'error OUT_OF_RANGE /nodes/0/timeoutMs: Expected "timeoutMs" of node "a" to be a whole number of at least 1, but found 0',
      'error OUT_OF_RANGE /nodes/0/retry/maxAttempts: Expected "maxAttempts" of node "a" to be a whole number of at least 1 and at most 1000000, but found 0',
      'error OUT_OF_RANGE /nodes/0/retry/initialDelayMs: Expected "initialDelayMs" of node "a" to be a whole number of at least 0, but found -1',
      'error OUT_OF_RANGE /nodes/0/retry/jitter: Expected "jitter" of node "a" to be a number of at least 0 and at most 1, but found 2',
      'error OUT_OF_RANGE /timeoutMs: Expected "timeoutMs" to be a whole number of at least 1, but found -1',
    ],
  },
  {
    name: '[DF2] no node at all',
    source: define({ nodes: [], initialNode: 'a' }),
    problems: ['error OUT_OF_RANGE /nodes: Expected "nodes" to have at least 1 item, but found 0'],
  },
  {
    name: '[DF3] nothing in it',
    source: {},
    problems: [
      'error MISSING_FIELD : Expected a workflow definition to have "id", but it has none',
      'error MISSING_FIELD : Expected a workflow definition to have "initialNode", but it has none',
      'error MISSING_FIELD : Expected a workflow definition to have "nodes", but it has none',
    ],
  },
  {
    name: '[DF3] parts without what they need',
    source: define({
      nodes: [{ id: 'a', action: {}, workflow: {} }, {}],
      transitions: [{ from: 'a' }, { from: 'a', to: 'a', foreach: {}, synchronization: {} }],
    }),
    problems: [
      'error MISSING_FIELD /nodes/0/action: Expected an action of node "a" to have "name", but it has none',
      'error MISSING_FIELD /nodes/0/workflow: Expected a sub-workflow of node "a" to have "id", but it has none',
      'error MISSING_FIELD /nodes/1: Expected a node to have "id", but it has none',
      'error MISSING_FIELD /transitions/0: Expected transition "a->?" to have "to", but it has none',
      'error MISSING_FIELD /transitions/1/foreach: Expected a foreach of transition "a->a" to have "collection", but it has none',
      'error SEVERAL_KINDS_OF_WORK /nodes/0: Expected one kind of work in node "a", but found "action", "workflow"',
      'warning UNBOUNDED_LOOP /transitions/1: Expected a "loop" limit on the cycle through transition "a->a", but no transition of it has one | Add "loop": {"maxIterations": n} to the way back.',
    ],
  },
  {
    name: '[DF3] two where one is wanted',
    source: define({
      nodes: [
        { id: 'a', wait: { seconds: 1, until: 2 } },
        { id: 'b', wait: {} },
      ],
    }),
    problems: [
      'error DUPLICATE_FIELD /nodes/0/wait: Expected only one of them, but found "seconds" and "until"',
      'error MISSING_FIELD /nodes/1/wait: Expected a wait of node "b" to have "seconds" or "until" or "event", but it has none',
      'warning UNREACHABLE_NODE /nodes/1: Expected a way from "a" to node "b", but there is none',
    ],
  },
  {
    name: '[DF4] above the limits of the engine',
    source: define({
      timeoutMs: 4e12,
      limits: { nodesPerRunMax: 1e12, loopIterationsMax: 0, mailboxMax: 5 },
      transitions: [{ from: 'a', to: 'a', loop: { maxIterations: 1e9 } }],
    }),
    problems: [
      `error LIMIT_EXCEEDED /timeoutMs: Expected "timeoutMs" to be at most 3155760000000 (limit timeoutMsMax), but found 4000000000000 | Limit timeoutMsMax: it is the default, raise it with createEngine({ limits: { timeoutMsMax: … } }).`,
      `error LIMIT_EXCEEDED /limits/nodesPerRunMax: Expected "nodesPerRunMax" to be at most 1000000 (limit nodesPerRunMax), but found 1000000000000 | Limit nodesPerRunMax: it is the default, raise it with createEngine({ limits: { nodesPerRunMax: … } }).`,
      'error OUT_OF_RANGE /limits/loopIterationsMax: Expected "loopIterationsMax" to be a whole number of at least 1, but found 0',
      'error UNKNOWN_FIELD /limits/mailboxMax: Expected only known fields in limits, but found "mailboxMax" | Known are nodesPerRunMax, tokensAliveMax, branchesPerFanOutMax, branchDepthMax, loopIterationsMax, nestingMax, descendantsMax, handleNodesMax, dispatchesMax, payloadBytesMax, mergedBytesMax, artifactBytesMax, expressionCostMax, concurrencyPerRun.',
      `error LIMIT_EXCEEDED /transitions/0/loop/maxIterations: Expected "maxIterations" of transition "a->a" to be at most 1000000 (limit loopIterationsMax), but found 1000000000 | Limit loopIterationsMax: it is the default, raise it with createEngine({ limits: { loopIterationsMax: … } }).`,
    ],
  },
  {
    name: '[DF6] one field in two spellings',
    source: define({ initial_node: 'a' }),
    problems: [
      'error DUPLICATE_FIELD /initial_node: Expected only one of them, but found "initialNode" and "initial_node"',
    ],
  },
  {
    name: '[DF7] execution and the field itself',
    source: define({ nodes: [{ id: 'a', action: 'x', timeoutMs: 5, execution: { timeout_ms: 6 } }] }),
    problems: [
      'error DUPLICATE_FIELD /nodes/0/execution/timeout_ms: Expected "timeoutMs" of node "a" once, but found it in "execution" too',
    ],
  },
  {
    name: '[DF8] on_failure without a sub-workflow',
    source: define({ nodes: [{ id: 'a', on_failure: 'catch' }] }),
    problems: [
      'error NOT_ALLOWED /nodes/0/on_failure: Expected "onFailure" once, in "workflow" of node "a", but found it on the node',
    ],
  },
  {
    name: '[DF10] a merge without a fan-in, two fan-ins',
    source: define({
      nodes: [
        { id: 'a', merge: { target: 'x', strategy: 'append' } },
        { id: 'b', fan_in: 'all' },
      ],
      transitions: [{ from: 'a', to: 'b', spawnCount: 2, synchronization: { strategy: 'any' } }],
    }),
    problems: [
      'error NOT_ALLOWED /nodes/0/merge: Expected "merge" of node "a" to belong to its fan-in, but the node has none',
      'error DUPLICATE_FIELD /transitions/0/synchronization: Expected a fan-in on node "b" or on transition "a->b", but found both',
    ],
  },
  {
    name: '[DF12] ids that are taken',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'a' }],
      transitions: [
        { id: 't', from: 'a', to: 'b' },
        { id: 't', from: 'a', to: 'b', priority: 2 },
      ],
    }),
    problems: [
      'error DUPLICATE_ID /nodes/2/id: Expected node ids to be unique, but "a" is also the one at /nodes/0/id',
      'error DUPLICATE_ID /transitions/1/id: Expected transition ids to be unique, but "t" is also the one at /transitions/0/id',
    ],
  },
  {
    name: '[DF13] ids that lead nowhere',
    source: define({
      initialNode: 'A1',
      nodes: [{ id: 'a1' }],
      transitions: [
        { from: 'a1', to: 'zzz' },
        { from_node_id: 'yyy', to: 'a1' },
      ],
    }),
    problems: [
      'error UNKNOWN_NODE /initialNode: Expected "initialNode" to name a node, but there is no "A1" | Did you mean "a1"?',
      'error UNKNOWN_NODE /transitions/0/to: Expected "to" of transition "a1->zzz" to name a node, but there is no "zzz"',
      'error UNKNOWN_NODE /transitions/1/from_node_id: Expected "from" of transition "yyy->a1" to name a node, but there is no "yyy"',
    ],
  },
  {
    name: '[DF14] two kinds of work',
    source: define({
      nodes: [
        { id: 'a', action: 'x', workflow: 'w' },
        { id: 'b', wait: { seconds: 1 }, input: true },
      ],
      transitions: [{ from: 'a', to: 'b' }],
    }),
    problems: [
      'error SEVERAL_KINDS_OF_WORK /nodes/0: Expected one kind of work in node "a", but found "action", "workflow"',
      'error SEVERAL_KINDS_OF_WORK /nodes/1: Expected one kind of work in node "b", but found "input", "wait"',
    ],
  },
  {
    name: '[DF16] attempts of what has none',
    source: define({
      nodes: [
        { id: 'a', wait: { seconds: 1 }, timeoutMs: 5, retry_policy: { max_attempts: 2 } },
        { id: 'b', timeoutMs: 5 },
      ],
      transitions: [{ from: 'a', to: 'b' }],
    }),
    problems: [
      'error NOT_ALLOWED /nodes/0/retry_policy: Expected "retry" on an action or a workflow, but node "a" is neither',
      'error NOT_ALLOWED /nodes/0/timeoutMs: Expected "timeoutMs" on an action or a workflow, but node "a" is neither',
      'warning NO_EFFECT /nodes/1/timeoutMs: Expected "timeoutMs" on a node that works, but node "b" has no action or workflow',
    ],
  },
  {
    name: '[DF55] a cost where nothing is charged',
    source: define({
      nodes: [
        { id: 'a', action: 'x', cost: 2 },
        { id: 'b', wait: { seconds: 1 }, cost: 2 },
      ],
      transitions: [{ from: 'a', to: 'b' }],
    }),
    problems: [
      'warning NO_EFFECT /nodes/1/cost: Expected "cost" on an action, but node "b" has none: nothing is charged for it',
    ],
  },
  {
    name: '[DF17] foreach and spawnCount',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', foreach: { collection: 'input.x' }, spawnCount: 2 },
        { from: 'b', to: 'c', synchronization: { strategy: 'all' } },
      ],
    }),
    problems: [
      'error FOREACH_AND_SPAWN_COUNT /transitions/0/spawnCount: Expected "foreach" or "spawnCount" on transition "a->b", but found both',
    ],
  },
  {
    name: '[DF18] item variables that are taken',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', foreach: { collection: 'input.x', itemVar: 'state' } },
        { from: 'a', to: 'b', priority: 2, foreach: { collection: 'input.x', itemVar: 'in' } },
        { from: 'a', to: 'b', priority: 3, foreach: { collection: 'input.x', itemVar: 'a-b' } },
        { from: 'b', to: 'c', synchronization: { strategy: 'all' } },
      ],
    }),
    problems: [
      'error INVALID_NAME /transitions/2/foreach/itemVar: Expected "itemVar" of transition "a->b" to be an item variable, but found the text "a-b" | An item variable is a letter or "_", then letters, digits or "_".',
      'error RESERVED_NAME /transitions/0/foreach/itemVar: Expected "itemVar" of transition "a->b" to be a free name, but "state" is taken',
      'error RESERVED_NAME /transitions/1/foreach/itemVar: Expected "itemVar" of transition "a->b" to be a free name, but "in" is taken',
    ],
  },
  {
    name: '[DF19] a group with a bad name',
    source: define({
      nodes: [{ id: '1' }, { id: 'b' }],
      initialNode: '1',
      transitions: [
        {
          from: '1',
          to: 'b',
          siblingGroup: '1',
          spawnCount: 2,
          synchronization: { strategy: 'all', siblingGroup: '1' },
        },
        {
          from: '1',
          to: 'b',
          priority: 2,
          siblingGroup: '9 lives',
          synchronization: { strategy: 'all', siblingGroup: '9 lives' },
        },
      ],
    }),
    problems: [
      'error INVALID_NAME /transitions/1/siblingGroup: Expected "siblingGroup" of transition "1->b" to be a group name, but found "9 lives" | Names begin with a letter and go on with at most 127 letters, digits, "_" or "-".',
    ],
  },
  {
    name: '[DF20] words of a group where there is none',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }],
      transitions: [
        { from: 'a', to: 'b', onBranchFailure: 'end', emptyJoin: 'b' },
        { from: 'a', to: 'b', priority: 2, spawnCount: 2, maxFailures: 1, synchronization: { strategy: 'all' } },
      ],
    }),
    problems: [
      'error NOT_ALLOWED /transitions/0/onBranchFailure: Expected "onBranchFailure" on a transition that opens a group, but transition "a->b" opens none | Give it a "siblingGroup", a "foreach" or a "spawnCount" above 1.',
      'error NOT_ALLOWED /transitions/0/emptyJoin: Expected "emptyJoin" on a transition that opens a group, but transition "a->b" opens none | Give it a "siblingGroup", a "foreach" or a "spawnCount" above 1.',
      'error NOT_ALLOWED /transitions/1/maxFailures: Expected "maxFailures" beside "onBranchFailure": "end", but transition "a->b" does not say that',
    ],
  },
  {
    name: '[DF21] words of the other kind of join',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', synchronization: { over: 'edges', timeoutMs: 5 } },
        { from: 'a', to: 'c', spawnCount: 2, synchronization: { strategy: 'all', require: 'all' } },
      ],
    }),
    problems: [
      'error NOT_ALLOWED /transitions/0/synchronization/timeoutMs: Expected what a join over edges knows on transition "a->b", but found "timeoutMs"',
      'error NOT_ALLOWED /transitions/1/synchronization/require: Expected what a join over siblings knows on transition "a->c", but found "require" | It belongs to "over": "edges".',
    ],
  },
  {
    name: '[DF22] targets that cannot be written',
    source: define({
      nodes: [
        {
          id: 'a',
          action: 'x',
          outputMapping: {
            'input.x': 'result',
            result: 'result',
            '_branch.output': 'result',
            state: 'result',
            output: 'result',
            'state._last_error.code': 'result',
            'state.__proto__.x': 'result',
            'state.constructor': 'result',
            score: 'result',
            'state..x': 'result',
            'state.a[0]': 'result',
          },
        },
      ],
    }),
    problems: [
      'error INVALID_TARGET /nodes/0/outputMapping/input.x: Expected a target that can be written (input cannot), but found "input.x", in the output mapping of node "a"',
      'error INVALID_TARGET /nodes/0/outputMapping/result: Expected a target that can be written (result cannot), but found "result", in the output mapping of node "a"',
      'error INVALID_TARGET /nodes/0/outputMapping/_branch.output: Expected a target that can be written (_branch cannot), but found "_branch.output", in the output mapping of node "a"',
      'error INVALID_TARGET /nodes/0/outputMapping/state: Expected a target below "state", but found "state", in the output mapping of node "a" | Write "state.<key>".',
      'error INVALID_TARGET /nodes/0/outputMapping/output: Expected a target below "output", but found "output", in the output mapping of node "a" | Write "output.<key>".',
      'error INVALID_TARGET /nodes/0/outputMapping/state._last_error.code: Expected a target that can be written (state._last_error is set by the engine), but found "state._last_error.code", in the output mapping of node "a"',
      'error INVALID_TARGET /nodes/0/outputMapping/state.__proto__.x: Expected a target without the key "__proto__", but found "state.__proto__.x", in the output mapping of node "a"',
      'error INVALID_TARGET /nodes/0/outputMapping/state.constructor: Expected a target without the key "constructor", but found "state.constructor", in the output mapping of node "a"',
      'error INVALID_TARGET /nodes/0/outputMapping/score: Expected a target that begins with "state." or "output.", but found "score", in the output mapping of node "a" | Did you mean "state.score"?',
      'error INVALID_TARGET /nodes/0/outputMapping/state..x: Expected keys joined by dots, but found "state..x", in the output mapping of node "a"',
      'error INVALID_TARGET /nodes/0/outputMapping/state.a[0]: Expected keys joined by dots, but found "state.a[0]", in the output mapping of node "a" | Write "a.b", not "a[b]".',
    ],
  },
  {
    name: '[DF22] a merge target that cannot be written',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }],
      transitions: [
        {
          from: 'a',
          to: 'b',
          spawnCount: 2,
          synchronization: { strategy: 'all', merge: { target: 'scores', strategy: 'append' } },
        },
      ],
    }),
    problems: [
      'error INVALID_TARGET /transitions/0/synchronization/merge/target: Expected a target that begins with "state." or "output.", but found "scores", in the merge of transition "a->b" | Did you mean "state.scores"?',
    ],
  },
  {
    name: '[DF23] input keys that cannot be written',
    source: define({
      outputMapping: { 'a..b': 'state.x' },
      nodes: [
        { id: 'a', action: 'x', inputMapping: { '': 'state.x', 'a.prototype.b': 'state.x', 'ok.deep': 'state.x' } },
      ],
    }),
    problems: [
      'error INVALID_TARGET /outputMapping/a..b: Expected keys joined by dots, but found "a..b", in the output mapping',
      'error INVALID_TARGET /nodes/0/inputMapping/: Expected keys joined by dots, but found "", in the input mapping of node "a"',
      'error INVALID_TARGET /nodes/0/inputMapping/a.prototype.b: Expected a target without the key "prototype", but found "a.prototype.b", in the input mapping of node "a"',
    ],
  },
  {
    name: '[DF24] what is not in scope',
    source: define({
      outputMapping: { a: 'result.x' },
      nodes: [
        {
          id: 'a',
          action: 'x',
          inputMapping: {
            r: 'result.x',
            t: '_trigger.type',
            b: '_branch.index',
            item: 'item',
            paper: 'paper',
          },
          outputMapping: { 'state.r': 'result.x' },
        },
        { id: 'b', wait: { seconds: 'result.x' } },
        { id: 'c' },
      ],
      transitions: [
        { from: 'a', to: 'b', condition: 'result.ok' },
        {
          from: 'b',
          to: 'c',
          foreach: { collection: 'result.list', itemVar: 'paper' },
          synchronization: {
            strategy: { mOfN: '_branch.total' },
            merge: { source: '_trigger.x', target: 'state.x', strategy: 'append' },
          },
        },
      ],
    }),
    problems: [
      'error EXPRESSION_UNKNOWN_NAME /outputMapping/a: Expected one of input, state, output, _trigger, _branch, _batch, paper, but found result, in the output mapping',
      'error EXPRESSION_UNKNOWN_NAME /nodes/0/inputMapping/r: Expected one of input, state, output, _trigger, _branch, _batch, paper, but found result, in the input mapping of node "a"',
      `error EXPRESSION_UNKNOWN_NAME /nodes/0/inputMapping/item: Expected one of input, state, output, _trigger, _branch, _batch, paper, but found item, in the input mapping of node "a" | A text is written in quotes of its own: 'item'.`,
      'error EXPRESSION_UNKNOWN_NAME /nodes/1/wait/seconds: Expected one of input, state, output, _trigger, _branch, _batch, paper, but found result, in the wait of node "b"',
      'error EXPRESSION_UNKNOWN_NAME /transitions/1/foreach/collection: Expected one of input, state, output, _trigger, _branch, _batch, paper, but found result, in the collection of transition "b->c"',
      'error EXPRESSION_UNKNOWN_NAME /transitions/1/synchronization/strategy/mOfN: Expected one of input, state, output, but found _branch, in the quorum of transition "b->c"',
      'error EXPRESSION_UNKNOWN_NAME /transitions/1/synchronization/merge/source: Expected one of input, state, output, _branch, _batch, paper, but found _trigger, in the merge of transition "b->c"',
    ],
  },
  {
    name: '[DF25] what does not parse',
    source: define({
      nodes: [
        { id: 'a', action: 'x', input_mapping: { a: 'state.' } },
        { id: 'b', wait: { until: '2030-01-01T00:00:00Z' } },
      ],
      transitions: [
        { from: 'a', to: 'b', condition: 'a b' },
        { from: 'a', to: 'b', priority: 2, condition: { field: 'state.x', op: 'almost', value: 1 } },
      ],
    }),
    problems: [
      'error EXPRESSION_SYNTAX /nodes/0/input_mapping/a: Expected an expression, but "state." ends too early, in the input mapping of node "a"',
      `error EXPRESSION_SYNTAX /nodes/1/wait/until: Expected an expression, but found an unexpected "T00" at position 10 of "2030-01-01T00:00:00Z", in the wait of node "b" | A fixed time is a text inside the expression: "'2030-01-01T00:00:00Z'".`,
      `error EXPRESSION_SYNTAX /transitions/0/condition: Expected an expression, but found an unexpected "b" at position 2 of "a b", in the condition of transition "a->b" | A text is written in quotes of its own: 'a b'.`,
      'error INVALID_CONDITION /transitions/1/condition/op: Expected one of ==, !=, >, >=, <, <=, contains, not_contains, starts_with, ends_with, in, exists, not_exists, is_empty, is_not_empty, but found "almost", in the condition of transition "a->b"',
    ],
  },
  {
    name: '[DF26] a join over a group that nobody opens',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', siblingGroup: 'papers' },
        { from: 'b', to: 'c', synchronization: { siblingGroup: 'paper', strategy: 'all' } },
      ],
    }),
    problems: [
      'error UNKNOWN_GROUP /transitions/1/synchronization/siblingGroup: Expected transition "b->c" to join a group, but no transition opens "paper" | Did you mean "papers"?',
      'warning FAN_OUT_UNJOINED /transitions/0: Expected a join for group "papers" of transition "a->b", but none can be reached | What its branches write will be discarded.',
    ],
  },
  {
    name: '[DF26] a nameless join where no group is opened',
    source: define({ nodes: [{ id: 'a' }, { id: 'b', fan_in: 'all' }], transitions: [{ from: 'a', to: 'b' }] }),
    problems: [
      'error UNKNOWN_GROUP /nodes/1/fan_in: Expected transition "a->b" to join a group, but no transition opens any | A group is opened by a transition with "siblingGroup", "foreach" or "spawnCount" above 1.',
    ],
  },
  {
    name: '[DF27] a join that is said in two ways',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', siblingGroup: 'g', synchronization: { strategy: 'all' } },
        { from: 'a', to: 'c', siblingGroup: 'g' },
        { from: 'c', to: 'b', synchronization: { strategy: 'any' } },
      ],
    }),
    problems: [
      'error JOIN_DISAGREES /transitions/2/synchronization: Expected transition "a->b" and transition "c->b" to agree on the join at node "b", but their synchronizations differ',
    ],
  },
  {
    name: '[DF27] a join by name and without',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', siblingGroup: 'g', spawnCount: 2 },
        { from: 'b', to: 'c', condition: 'state.x', synchronization: { strategy: 'all' } },
        { from: 'b', to: 'c', priority: 2, synchronization: { strategy: 'all', siblingGroup: 'g' } },
      ],
    }),
    problems: [
      'error JOIN_DISAGREES /transitions/0: Expected group "g" of transition "a->b" to be joined in one way at node "c", but it is joined by name and without | Name the group in each synchronization there, or in none.',
    ],
  },
  {
    name: '[DF28] a quorum that cannot be met',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', siblingGroup: 'g', spawnCount: 2 },
        { from: 'a', to: 'b', siblingGroup: 'g' },
        { from: 'b', to: 'c', synchronization: { strategy: { m_of_n: 4 } } },
      ],
    }),
    problems: [
      'error QUORUM_ABOVE_TOTAL /transitions/2/synchronization/strategy/m_of_n: Expected the quorum of transition "b->c" to be at most the 3 branches that can come there, but found 4 | Lower the quorum, or lead more branches to node "c".',
    ],
  },
  {
    name: '[DF29] a group that is said in two ways',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }],
      transitions: [
        {
          from: 'a',
          to: 'b',
          siblingGroup: 'g',
          onBranchFailure: 'end',
          maxFailures: 1,
          synchronization: { strategy: 'all' },
        },
        {
          from: 'a',
          to: 'b',
          siblingGroup: 'g',
          onBranchFailure: 'end',
          maxFailures: 2,
          synchronization: { strategy: 'all' },
        },
      ],
    }),
    problems: [
      'error GROUP_DISAGREES /transitions/1/maxFailures: Expected transition "a->b" and transition "a->b" to agree on "maxFailures" of group "g", but they differ',
    ],
  },
  {
    name: '[DF30] an emptyJoin that is none',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', spawnCount: 2, emptyJoin: 'b' },
        { from: 'b', to: 'c', synchronization: { strategy: 'all' } },
      ],
    }),
    problems: [
      'error UNKNOWN_JOIN /transitions/0/emptyJoin: Expected "emptyJoin" to name a join of group "a", but "b" is none: it is joined at "c"',
    ],
  },
  {
    name: '[DF31] several joins for one group',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }],
      transitions: [
        { from: 'a', to: 'b', spawnCount: 2 },
        { from: 'b', to: 'c', condition: 'state.x', synchronization: { strategy: 'all' } },
        { from: 'b', to: 'd', priority: 2, synchronization: { strategy: 'all' } },
      ],
    }),
    problems: [
      'error EMPTY_JOIN_AMBIGUOUS /transitions/0: Expected one join for group "a" of transition "a->b", but it can reach those at "c", "d" | Say with "emptyJoin" on the transition which node goes on when no branch arrives.',
    ],
  },
  {
    name: '[DF32] a fan-out that nobody joins',
    source: define({ nodes: [{ id: 'a' }, { id: 'b' }], transitions: [{ from: 'a', to: 'b', spawnCount: 2 }] }),
    problems: [
      'warning FAN_OUT_UNJOINED /transitions/0: Expected a join for group "a" of transition "a->b", but none can be reached | What its branches write will be discarded.',
    ],
  },
  {
    name: '[DF33] edge joins that disagree',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }],
      transitions: [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c', priority: 2 },
        { from: 'a', to: 'd', priority: 3, synchronization: { over: 'edges' } },
        { from: 'b', to: 'd', synchronization: { over: 'edges', require: 'all' } },
        { from: 'c', to: 'd' },
      ],
    }),
    problems: [
      'error JOIN_DISAGREES /transitions/3/synchronization: Expected transition "a->d" and transition "b->d" to agree on the join at node "d", but their "require" differs',
      'error EDGE_JOIN_MIXED /transitions/4: Expected all transitions into node "d" to be joined over edges, but transition "c->d" is not',
    ],
  },
  {
    name: '[DF34] a fan-out straight into an edge join',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }],
      transitions: [
        { from: 'a', to: 'b', spawnCount: 2, synchronization: { over: 'edges' } },
        { from: 'a', to: 'b', priority: 2, foreach: { collection: 'input.x' }, synchronization: { over: 'edges' } },
      ],
    }),
    problems: [
      'warning FAN_OUT_UNJOINED /transitions/0: Expected a join for group "a" of transition "a->b", but none can be reached | What its branches write will be discarded.',
      'warning FAN_OUT_UNJOINED /transitions/1: Expected a join for group "a" of transition "a->b", but none can be reached | What its branches write will be discarded.',
      'error FAN_OUT_INTO_EDGE_JOIN /transitions/0/spawnCount: Expected one token on each transition into the edge join at node "b", but transition "a->b" has "spawnCount" | Put a node between them.',
      'error FAN_OUT_INTO_EDGE_JOIN /transitions/1/foreach: Expected one token on each transition into the edge join at node "b", but transition "a->b" has "foreach" | Put a node between them.',
    ],
  },
  {
    name: '[DF35] an edge join on a cycle',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', synchronization: { over: 'edges' } },
        { from: 'b', to: 'c' },
        { from: 'c', to: 'a', loop: { maxIterations: 2 } },
      ],
    }),
    problems: [
      'error EDGE_JOIN_ON_CYCLE /transitions/0/synchronization: Expected every cycle through the edge join at node "b" to go back by a transition with "loop" that is joined over edges, but one does not | Give "loop" and "maxIterations" to the transition that leads back, and join it over edges.',
    ],
  },
  {
    name: '[DF35] an edge join on a cycle that goes back by a loop is legal',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', synchronization: { over: 'edges' } },
        { from: 'b', to: 'c' },
        { from: 'c', to: 'b', loop: { maxIterations: 2 }, synchronization: { over: 'edges' } },
      ],
    }),
    problems: [],
  },
  {
    name: '[DF36] a node that no way leads to',
    source: define({ nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], transitions: [{ from: 'b', to: 'c' }] }),
    problems: [
      'warning UNREACHABLE_NODE /nodes/1: Expected a way from "a" to node "b", but there is none',
      'warning UNREACHABLE_NODE /nodes/2: Expected a way from "a" to node "c", but there is none',
    ],
  },
  {
    name: '[DF37] a cycle without a limit',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }],
      transitions: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a', condition: 'input.again' },
        { from: 'b', to: 'b', priority: 2, loop: { maxIterations: 2 } },
      ],
    }),
    problems: [
      'warning UNBOUNDED_LOOP /transitions/0: Expected a "loop" limit on the cycle through transition "a->b", but no transition of it has one | Add "loop": {"maxIterations": n} to the way back.',
    ],
  },
  {
    name: '[DF38] a loop limit where no way leads back',
    source: define({
      nodes: [{ id: 'a' }, { id: 'b' }],
      transitions: [{ from: 'a', to: 'b', loop_config: { max_iterations: 3 } }],
    }),
    problems: [
      'warning NO_EFFECT /transitions/0/loop_config: Expected transition "a->b" to close a cycle, since it has a "loop" limit, but no way leads back',
    ],
  },
  {
    name: '[DF39] equal priorities that write',
    source: define({
      nodes: [
        { id: 'a' },
        { id: 'b', action: 'x', outputMapping: { 'state.x': 'result' } },
        { id: 'c', action: 'x', outputMapping: { 'state.x': 'result' } },
      ],
      transitions: [
        { from: 'a', to: 'b', condition: 'input.n > 1' },
        { from: 'a', to: 'c' },
      ],
    }),
    problems: [
      'warning EQUAL_PRIORITIES /transitions/1: Expected transition "a->b" and transition "a->c" to exclude each other or to share a group, but both may fire and write shared state | Give them different priorities, or one "siblingGroup".',
    ],
  },
  {
    name: '[DF42] what is no JSON',
    source: define({ meta: { when: undefined, how: () => 1 } }),
    problems: ['error NOT_JSON /meta/how: Expected a JSON value, but found a function'],
  },
  {
    name: '[DF42] a number that is none',
    source: define({ version: Number.NaN }),
    problems: ['error NOT_JSON /version: Expected a finite number, but found NaN'],
  },
  {
    name: '[DF46] a schema with mistakes',
    source: define({
      input_schema: { type: 'objekt' },
      stateSchema: { $ref: 'https://example.org/s' },
      outputSchema: { properties: { a: { $ref: '#/$defs/b' } } },
    }),
    problems: [
      'error INVALID_SCHEMA /input_schema/type: Expected "type" to be a type or a list of types (null, boolean, object, array, number, string, integer), but found the text "objekt"',
      'error REMOTE_REFERENCE /stateSchema/$ref: Expected a reference inside the schema, beginning with "#", but found "https://example.org/s" | Put the other schema under "$defs".',
      'error INVALID_SCHEMA /outputSchema/properties/a/$ref: Expected a reference to a part of the schema, but "#/$defs/b" is none',
    ],
  },
  {
    name: '[DF50] names that cannot be',
    source: define({
      id: 'score papers',
      initialNode: 'a\n',
      nodes: [
        { id: 'a\n', action: 'do it' },
        { id: '', workflow: '9' },
        { id: '__proto__' },
        { id: 'b', workflow: { id: 'constructor' } },
      ],
    }),
    problems: [
      'error INVALID_NAME /id: Expected "id" to be a workflow name, but found the text "score papers" | Names begin with a letter and go on with at most 127 letters, digits, "_" or "-".',
      'error INVALID_NAME /initialNode: Expected "initialNode" to be a node id, but found the text "a\\n" | Ids have 1 to 200 printable characters.',
      'error INVALID_NAME /nodes/0/id: Expected "id" of node "a\\n" to be a node id, but found the text "a\\n" | Ids have 1 to 200 printable characters.',
      'error INVALID_NAME /nodes/0/action: Expected "action" of node "a\\n" to be an action name, but found the text "do it" | Action names begin with a letter and go on with at most 127 letters, digits, "_", "-" or ".".',
      'error INVALID_NAME /nodes/1/id: Expected "id" of node "" to be a node id, but found the text "" | Ids have 1 to 200 printable characters.',
      'error INVALID_NAME /nodes/1/workflow: Expected "workflow" of node "" to be a workflow name, but found the text "9" | Names begin with a letter and go on with at most 127 letters, digits, "_" or "-".',
      'error INVALID_NAME /nodes/2/id: Expected "id" of node "__proto__" to be a node id, but found the text "__proto__" | "__proto__" is a name that JavaScript keeps for itself.',
      'error INVALID_NAME /nodes/3/workflow/id: Expected "id" of node "b" to be a workflow name, but found the text "constructor" | "constructor" is a name that JavaScript keeps for itself.',
      'warning UNREACHABLE_NODE /nodes/1: Expected a way from "a\\u000a" to node "", but there is none',
      'warning UNREACHABLE_NODE /nodes/2: Expected a way from "a\\u000a" to node "__proto__", but there is none',
      'warning UNREACHABLE_NODE /nodes/3: Expected a way from "a\\u000a" to node "b", but there is none',
    ],
  },
];

describe('problems', () => {
  test.each(cases)('$name', ({ source, problems }) => {
    const parsed = parseDefinition(source, { limits: defaultLimits });
    expect(parsed.problems.map(lineOf)).toEqual(problems);
    expect(parsed.definition === null).toBe(problems.some((line) => line.startsWith('error')));
  });
});

describe('what is right has no problems, and stays as it is', () => {
  test.each(accepted)('$name', ({ definition }) => {
    expect(parseDefinition(definition, { limits: defaultLimits })).toEqual({
      problems: [],
      definition,
      source: definition,
    });
  });
});
