// Wild token graphs: nodes and transitions at random, with no structure at all. Joins over groups that a token may not be
// in, leaps out of groups, loops that nobody bounds, conditions that cannot be evaluated, quorums that cannot be met,
// actions that nobody has. Nobody knows what must come of them, but that they end, and that every invariant holds.
//
// Always true: limits are low, and every run has a timeout, so that each ends by itself. Most are legal; some are not, and
// must be refused.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type {
  MergeDefinition,
  NodeDefinition,
  SiblingSynchronization,
  SynchronizationDefinition,
  TransitionDefinition,
} from '../../packages/heddle/src/definition/definition.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { answerWildly } from '../dialects/wild-answers.ts';
import type { MakeWorkload } from '../workload.ts';
import { drawDuration, drawStrategy, drawTimeout } from './garden.ts';

export const makeWild: MakeWorkload = (dice) => {
  const names = ['wild', 'child'].slice(0, 1 + dice.draw(2));
  return {
    kind: 'wild',
    isSound: false,
    definitions: names.map((id) => wildDefinition(dice, id)),
    starts: Array.from({ length: 1 + dice.draw(2) }, (_, index) => ({
      workflow: dice.pick(names) ?? 'wild',
      input: { x: index, list: [1, 2, 3], text: 'input' },
    })),
    actions: ['work'],
    answer: answerWildly,
    reply: ({ nodeId }) => (nodeId.length % 2 === 0 ? { value: nodeId } : null),
    outsideEvents: [
      { name: 'bell', payload: { value: 1 } },
      { name: 'bell', correlation: '1', payload: [] },
    ],
    check: () => null,
  };
};

/** A group, as all transitions that open it say it is. */
interface WildGroup {
  readonly siblingGroup: string;
  readonly onBranchFailure?: 'end';
  readonly maxFailures?: number;
}

function wildDefinition(dice: Dice, id: string): Json {
  const ids = Array.from({ length: 2 + dice.draw(8) }, (_, index) => `n${index}`);
  const isForward = dice.chance(1, 4);
  const groups = ['g', 'h', 'i'].slice(0, 1 + dice.draw(3)).map((name) => wildGroup(dice, name));
  const wilderness = { ids, groups, isForward, joins: wildJoins(dice, ids, groups, isForward) };
  const nodes = ids.map((node) => wildNode(dice, node, id));
  const transitions = Array.from({ length: ids.length + dice.draw(ids.length + 2) }, (_, index) =>
    wildTransition(dice, index, wilderness),
  );
  for (const [index, { batch }] of nodes.entries()) if (batch) transitions.push(wildSlice(dice, index, wilderness));
  const definition = {
    id,
    initialNode: 'n0',
    nodes,
    transitions: dice.chance(1, 20) ? transitions : legal(transitions),
    timeoutMs: 30_000,
    ...(dice.chance(1, 4) ? { inputPolicy: 'serial' } : {}),
    ...(dice.chance(1, 2) ? { outputMapping: wildMapping(dice, '') } : {}),
    limits: {
      nodesPerRunMax: dice.pick([30, 12, 60]),
      tokensAliveMax: dice.pick([40, 8]),
      branchesPerFanOutMax: dice.pick([10, 3]),
      branchDepthMax: dice.pick([4, 2]),
      nestingMax: 1 + dice.draw(3),
      descendantsMax: 1 + dice.draw(4),
    },
  };
  return definition as unknown as Json; // a definition is plain JSON
}

const pickOf = (dice: Dice, list: readonly string[]): string => dice.pick(list) ?? '';

/** What each node that is a join says of itself. */
type WildJoins = ReadonlyMap<string, SynchronizationDefinition>;

function wildJoins(dice: Dice, ids: readonly string[], groups: readonly WildGroup[], isForward: boolean): WildJoins {
  const joins = new Map<string, SynchronizationDefinition>();
  for (const node of ids.slice(1)) {
    if (isForward && dice.chance(1, 3)) joins.set(node, { over: 'edges', require: dice.pick(['some', 'all']) });
    else if (dice.chance(1, 3)) joins.set(node, wildJoin(dice, groups));
  }
  return joins;
}

function wildJoin(dice: Dice, groups: readonly WildGroup[]): SiblingSynchronization {
  const timeoutMs = drawTimeout(dice);
  const siblingGroup = dice.pick(groups)?.siblingGroup ?? '';
  return {
    ...(dice.chance(1, 3) ? {} : { siblingGroup }),
    strategy: dice.pick<NonNullable<SiblingSynchronization['strategy']>>([
      'all',
      'any',
      { mOfN: 2 },
      { mOfN: '1 + 1' },
      { mOfN: 'state.x' },
    ]),
    onEarlyComplete: dice.pick(['cancel', 'abandon']),
    ...(dice.chance(1, 3) ? { timeoutMs, onTimeout: dice.pick(['proceed_with_available', 'fail']) } : {}),
    ...(dice.chance(1, 2) ? { merge: wildMerges(dice) } : {}),
  };
}

function wildMerges(dice: Dice): NonNullable<SiblingSynchronization['merge']> {
  if (dice.chance(2, 3)) return wildMerge(dice);
  return Array.from({ length: dice.draw(4) }, () => wildMerge(dice));
}

function wildMerge(dice: Dice): MergeDefinition {
  return {
    ...(dice.chance(1, 6) ? {} : { source: drawSource(dice) }),
    target: drawTarget(dice),
    strategy: drawStrategy(dice),
    ...(dice.chance(1, 3) ? { existing: dice.pick(['extend', 'overlay', 'replace']) } : {}),
    ...(dice.chance(1, 3) ? { include: dice.pick(['settled', 'arrived']) } : {}),
  };
}

function wildGroup(dice: Dice, siblingGroup: string): WildGroup {
  const isTolerant = dice.chance(1, 3);
  return {
    siblingGroup,
    ...(isTolerant ? { onBranchFailure: 'end' } : {}),
    ...(isTolerant && dice.chance(1, 2) ? { maxFailures: 1 + dice.draw(2) } : {}),
  };
}

/** Without joins over groups that nobody opens; where several could act for a group without arrivals, one is named. */
function legal(transitions: readonly TransitionDefinition[]): TransitionDefinition[] {
  const opened = new Set(transitions.map(groupOf).filter((name) => name !== null));
  const joined = transitions.map((transition) => {
    const { synchronization, ...plain } = transition;
    const isLegal = synchronization && ('over' in synchronization || isOpened(opened, synchronization));
    return isLegal ? transition : plain;
  });
  return joined.map((transition) => {
    const group = groupOf(transition);
    const nodes = group === null ? new Set<string>() : joinsOf(joined, group);
    const [emptyJoin] = nodes;
    return nodes.size > 1 && emptyJoin !== undefined ? { ...transition, emptyJoin } : transition;
  });
}

function groupOf({ siblingGroup, foreach, spawnCount = 1, from }: TransitionDefinition): string | null {
  return siblingGroup ?? (foreach || spawnCount > 1 ? from : null);
}

function isOpened(opened: ReadonlySet<string>, { siblingGroup, strategy }: SiblingSynchronization): boolean {
  const isFixed = typeof strategy === 'object' && typeof strategy.mOfN === 'number';
  return siblingGroup === undefined ? opened.size > 0 && !isFixed : opened.has(siblingGroup);
}

/** The nodes at which a group could be joined. */
function joinsOf(transitions: readonly TransitionDefinition[], group: string): Set<string> {
  const nodes = transitions.filter(({ synchronization: join }) => {
    if (join === undefined || 'over' in join) return false;
    return (join.siblingGroup ?? group) === group;
  });
  return new Set(nodes.map(({ to }) => to));
}

interface Wilderness {
  readonly ids: readonly string[];
  readonly groups: readonly WildGroup[];
  readonly joins: WildJoins;
  readonly isForward: boolean;
}

/** Where a transition from a node leads: mostly on, often back. */
function wildTarget(dice: Dice, from: number, { ids, isForward }: Wilderness): number {
  const next = Math.min(from + 1 + dice.draw(2), ids.length - 1);
  return isForward || dice.chance(1, 2) ? next : dice.draw(ids.length);
}

/** The first ones lead from each node to somewhere, so that most can be reached. */
function wildTransition(dice: Dice, index: number, wilderness: Wilderness): TransitionDefinition {
  const { ids, joins, isForward } = wilderness;
  // The last node leads nowhere if nothing is to lead back.
  const from = (index < ids.length ? index : dice.draw(ids.length)) % (isForward ? ids.length - 1 : ids.length);
  const to = ids[wildTarget(dice, from, wilderness)] ?? '';
  const join = joins.get(to);
  const isOverEdges = join !== undefined && 'over' in join;
  const isJoined = isOverEdges || (join !== undefined && dice.chance(3, 4));
  return {
    id: `t${index}`,
    from: ids[from] ?? '',
    to,
    ...(dice.chance(1, 3) ? { priority: 1 + dice.draw(3) } : {}),
    ...(dice.chance(1, 3) ? { condition: drawWildCondition(dice) } : {}),
    ...(dice.chance(1, 5) ? { on: dice.pick(['failure', 'any'] as const) } : {}),
    ...(isOverEdges ? {} : wildSpawn(dice, wilderness)),
    ...(dice.chance(1, 4) && !isForward ? { loop: { maxIterations: 1 + dice.draw(4) } } : {}),
    ...(isJoined ? { synchronization: join } : {}),
  };
}

/** An edge join takes no slices. */
function wildSlice(dice: Dice, from: number, wilderness: Wilderness): TransitionDefinition {
  const { ids, joins } = wilderness;
  const to = ids[wildTarget(dice, from, wilderness)] ?? '';
  const join = joins.get(to);
  return { from: ids[from] ?? '', to: join && 'over' in join ? (ids.at(-1) ?? '') : to, on: 'slice' };
}

function wildSpawn(dice: Dice, { groups }: Wilderness): Partial<TransitionDefinition> {
  if (!dice.chance(1, 3)) return {};
  const group = dice.chance(3, 4) ? dice.pick(groups) : undefined;
  const collection = dice.pick(['[1, 2, 3]', '[]', 'input.list', 'state.list', 'state.x']);
  const foreach = { collection, itemVar: 'item', ...(dice.chance(1, 3) ? { maxParallel: 1 + dice.draw(2) } : {}) };
  const spawn = dice.pick([{ spawnCount: 2 }, { spawnCount: 3 }, { foreach }, { foreach }]);
  return { ...spawn, ...group };
}

/** Some are no truth values, some cannot be evaluated, some fail only now and then. */
function drawWildCondition(dice: Dice): string {
  return dice.pick([
    'true',
    'false',
    'has(state.x)',
    'has(result.x) && result.x == 1',
    'state.x > 1',
    'has(state.list) && size(state.list) > 2',
    'result.nothing.at.all',
    'state._last_error.code == "WILD"',
    'has(state._failure)',
  ]);
}

const drawSource = (dice: Dice): string =>
  dice.pick([
    '_branch.output',
    '_branch.output.x',
    'state.x',
    '_branch.index',
    '_branch.parent.index',
    'state.x + 1',
    '_branch.error.code',
    '{_branch.status: _branch.index}',
  ]);

const drawTarget = (dice: Dice): string => dice.pick(['state.x', 'state.list', 'output.x', 'state.deep.er.x']);

function wildMapping(dice: Dice, section: 'state.' | ''): Record<string, string> {
  const sources = [
    'input.x',
    'state.x',
    'input.list',
    'state.x + 1',
    '[state.x, 2]',
    'state.deep',
    '"text"',
    '1 / 0',
    'state._failure.code',
  ];
  const [first, second] = [pickOf(dice, sources), pickOf(dice, sources)];
  return { [`${section}x`]: first, ...(dice.chance(1, 2) ? { [`${section}list`]: second } : {}) };
}

function wildNode(dice: Dice, id: string, workflow: string): NodeDefinition {
  const outputMapping = wildMapping(dice, 'state.');
  const mapped = dice.chance(1, 2) ? { outputMapping } : {};
  const work = wildWork(dice, workflow);
  const canBeTried = 'action' in work || 'workflow' in work;
  return {
    id,
    ...work,
    ...mapped,
    ...(canBeTried && dice.chance(1, 3) ? { inputMapping: wildMapping(dice, '') } : {}),
    ...(canBeTried && dice.chance(1, 4)
      ? { retry: { maxAttempts: 1 + dice.draw(3), initialDelayMs: drawDuration(dice) } }
      : {}),
    ...('action' in work && dice.chance(1, 6) ? { timeoutMs: drawTimeout(dice) } : {}),
  };
}

function wildWork(dice: Dice, workflow: string): Omit<NodeDefinition, 'id'> {
  const timeoutMs = drawTimeout(dice);
  return dice.pick<Omit<NodeDefinition, 'id'>>([
    {},
    { action: 'work' },
    { action: 'work' },
    { action: 'work' },
    { wait: { seconds: drawDuration(dice) / 1_000 } },
    { input: true },
    { input: { title: 'wild', deadlineMs: timeoutMs, schema: { type: 'object' } } },
    { wait: { event: 'bell', timeoutMs } },
    { wait: { event: 'bell', correlation: 'state.x' } },
    { workflow: { id: 'child', onFailure: 'catch', timeoutMs } },
    { workflow: { id: workflow } },
    { batch: { items: 'state.list', batchSize: dice.draw(3), parallelBatches: 1 + dice.draw(2) } },
    { batch: { items: 'input.list', batchSize: 1, merge: { strategy: drawStrategy(dice) } } },
    { wait: { until: 'state.x' } },
    { action: 'nobody.has.it' },
  ]);
}
