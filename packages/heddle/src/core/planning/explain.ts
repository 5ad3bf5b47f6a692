// Explain: what was decided, and by what, for a command whose sender asked for it. Nothing here decides.
//
// RD12: ways, mappings and joins, in the order in which they were decided.

import { given } from '../../base/given.ts';
import { readPath } from '../../base/path.ts';
import type { Join, Source, Transition } from '../../definition/graph.ts';
import type { Expression } from '../../expression/expression.ts';
import { findReads } from '../../expression/reads.ts';
import type { JoinDecision, MappedValue, MappingDecision, ReadValue, RoutingDecision, Way } from '../decisions.ts';
import type { Branch, Group, Token } from '../state.ts';
import type { Controlled } from './control-keys.ts';
import type { Decided } from './edge-liveness.ts';
import type { Evaluated } from './mapping.ts';
import { nodeOf, type Planning } from './planning.ts';
import type { NodeEnd, Route } from './routing.ts';
import { readName, type Viewpoint } from './scope.ts';

/** What asking a transition came to. */
export type Asked = Pick<Way, 'verdict' | 'value' | 'reads'>;

const readsMax = 20;
const readLengthMax = 1_000;

/** RD13: the members that a condition reads, the first twenty, with their values; of a long one only that it is long. */
export function readsOf({ state }: Planning, from: Viewpoint, { source }: Expression): readonly ReadValue[] {
  const values = new Map<string, ReadValue>();
  for (const { root, keys } of findReads(source).mentions) {
    const name = [root, ...keys].join('.');
    if (values.has(name) || values.size === readsMax) continue;
    const value = readPath(readName(state, from, root), keys.map(String));
    const isLong = value !== undefined && JSON.stringify(value).length > readLengthMax;
    values.set(name, { name, ...(isLong ? { isLong } : given({ value })) });
  }
  return [...values.values()];
}

export function noteRouting(
  p: Planning,
  { token, end }: { readonly token: Token; readonly end: NodeEnd },
  asked: ReadonlyMap<Transition, Asked>,
  route: Route,
): void {
  const { id, onSuccess, onFailure, work } = nodeOf(p, token.node);
  const isHandled = p.graph.policy.controlKeys && work.type === 'action' && end.type === 'success';
  const decision: RoutingDecision = {
    type: 'routing',
    place: p.events.length,
    token: token.id,
    node: id,
    outcome: end.type,
    ...given({ handle: isHandled ? (end.result as unknown as Controlled['result']).branch : undefined }), // made by `readControls`
    ways: (end.type === 'success' ? onSuccess : onFailure).flatMap(({ priority, transitions }) =>
      transitions.map((transition) => describeWay(transition, priority, asked.get(transition) ?? notAsked)),
    ),
    result: route.type === 'fire' ? 'taken' : route.type === 'end' ? 'ended' : 'failed',
    ...given({ error: route.type === 'fail' ? route.failure : undefined }),
  };
  p.decisions?.push(decision);
}

const notAsked: Asked = { verdict: 'not_asked' };

const describeWay = ({ id, to, condition }: Transition, priority: number, asked: Asked): Way => ({
  transition: id,
  to,
  priority,
  condition: condition?.source ?? null,
  ...asked,
});

/** What the values that are noted from now on are read for. */
export function beginMapping(
  p: Planning,
  of: MappingDecision['of'],
  at: Partial<Pick<Token, 'id' | 'node'>> = {},
): void {
  const { id, node } = at;
  p.decisions?.push({ type: 'mapping', place: p.events.length, of, ...given({ token: id, node }), values: [] });
}

export function noteValue(p: Planning, target: string, expression: string, evaluated: Evaluated): void {
  const last = p.decisions?.at(-1);
  if (last?.type !== 'mapping') return;
  const values = last.values as MappedValue[]; // made by `beginMapping`
  if ('failure' in evaluated) values.push({ target, expression, error: evaluated.failure.message });
  else if (evaluated.value !== undefined) values.push({ target, expression, value: evaluated.value });
  else values.push({ target, expression });
}

export function describeSource(source: Source): string {
  switch (source.type) {
    case 'literal':
      return JSON.stringify(source.value);
    case 'path':
      return source.path.join('.');
    case 'expression':
      return source.expression.source;
    case 'first':
    case 'list':
      return `${source.type} of ${source.of.map(describeSource).join(', ')}`;
  }
}

export function noteJoin(
  p: Planning,
  group: Group,
  join: Join | null,
  verdict: Pick<JoinDecision, 'verdict' | 'timedOut' | 'error'>,
): void {
  const { id: groupId, name, arrived, ended, failed, total } = group;
  const place = p.events.length;
  const required = countRequired(group, join);
  p.decisions?.push({
    type: 'join',
    place,
    group: name,
    groupId,
    join: join?.id ?? null,
    required,
    arrived,
    ended,
    failed,
    total,
    ...verdict,
  });
}

function countRequired({ join: bound, required }: Group, join: Join | null): JoinDecision['required'] {
  if (bound !== null) return required === 0 ? 'all' : required;
  if (!join) return null;
  const { strategy } = join;
  if (strategy.type === 'all') return 'all';
  if (strategy.type === 'any') return 1;
  return typeof strategy.count === 'number' ? strategy.count : null;
}

/** The edge joins of a branch that somebody waits at, and those that were decided just now. */
export function noteEdges(p: Planning, { edges, liveness }: Branch, { skipped, running, again }: Decided): void {
  for (const join of liveness?.graph.joins ?? []) {
    const { node, require, inbound, index } = join;
    const taken = inbound.filter(({ id }) => edges?.taken.has(id)).map(({ id }) => id);
    const isDecided = skipped.includes(join) || running.includes(join);
    if (!isDecided && (taken.length === 0 || edges?.done.has(node))) continue;
    const verdict = running.includes(join) ? 'runs' : isDecided ? 'skipped' : 'waits';
    const [open, dead] = [liveness?.open[index] ?? 0, liveness?.dead[index] ?? 0];
    p.decisions?.push({ type: 'edge_join', place: p.events.length, node, require, taken, open, dead, verdict });
  }
  for (const { header } of again) {
    const { node, require, back } = header;
    const taken = back.filter((edge) => edges?.taken.has(edge));
    const counts = { taken, open: 0, dead: back.length - taken.length };
    p.decisions?.push({ type: 'edge_join', place: p.events.length, node, require, ...counts, verdict: 'runs' });
  }
}
