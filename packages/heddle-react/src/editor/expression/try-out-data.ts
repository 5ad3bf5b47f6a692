// Try-out data: what an expression reads, made up or taken from a past run as of a moment. Pure.

import type { Json, JsonObject, RunEvent, StateAt } from 'heddle';
import type { Scope } from 'heddle/expressions';
import { sampleOf } from '../trial/sample.ts';
import { type ExpressionScope, membersBelow, type ScopeName } from './scope.ts';

/** By the schemas of what is in scope. */
export function sampleData({ names }: ExpressionScope): JsonObject {
  return Object.fromEntries(names.flatMap((name) => [[name.name, sampleOfName(name, 0)] as const]));
}

const depthMax = 4;

function sampleOfName(name: ScopeName, depth: number): Json {
  const { schema, members = [] } = name;
  if (schema !== undefined && members.length === 0) return sampleOf(schema.schema, { root: schema.root });
  if (depth > depthMax) return null;
  const below = membersBelow(name);
  if (below.length === 0) return depth === 0 ? {} : null;
  return Object.fromEntries(below.map((member) => [member.name, sampleOfName(member, depth + 1)]));
}

export interface Moment {
  /** The journal up to the moment. */
  readonly events: readonly RunEvent[];
  readonly state: Pick<StateAt, 'input' | 'state' | 'output'>;
  /** The node whose result is read. */
  readonly nodeId: string | undefined;
}

/** As the run stood: sections, the latest result of the node, the first item of each list that was gone through. */
export function dataOf(scope: ExpressionScope, { events, state, nodeId }: Moment): Scope {
  const data: Record<string, Json | undefined> = { input: state.input, state: state.state, output: state.output };
  const items = itemsIn(events);
  for (const { name } of scope.names) if (!Object.hasOwn(data, name)) data[name] = items.get(name);
  data['result'] = nodeId === undefined ? undefined : latestResult(events, nodeId);
  return data;
}

function itemsIn(events: readonly RunEvent[]): ReadonlyMap<string, Json> {
  const items = new Map<string, Json>();
  for (const event of events) {
    if (event.type !== 'fan_out.started') continue;
    for (const { itemVar, items: list } of event.spawns)
      if (itemVar !== undefined && list?.[0] !== undefined) items.set(itemVar, list[0]);
    items.set('_branch', { index: 0, total: event.total, fanOutNodeId: event.node });
  }
  return items;
}

/** What the node gave last: by its work, by a person, by an event, by a sub-workflow. */
function latestResult(events: readonly RunEvent[], nodeId: string): Json | undefined {
  const tokens = new Set<number>();
  let result: Json | undefined;
  for (const event of events) {
    if (event.type === 'token.created' && event.node === nodeId)
      for (let place = 0; place < (event.count ?? 1); place += 1) tokens.add(event.token + place);
    else if ('token' in event && event.token !== undefined && tokens.has(event.token))
      result = givenBy(event) ?? result;
  }
  return result;
}

function givenBy(event: RunEvent): Json | undefined {
  if (event.type === 'task.completed' || event.type === 'subworkflow.completed' || event.type === 'batch.completed')
    return event.output;
  return event.type === 'input.resumed' || event.type === 'event.received' ? event.payload : undefined;
}
