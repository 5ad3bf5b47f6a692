// ReplayCommit: the decisions of a commit are made once more, from the state before it and the facts that it describes, and
// compared with what was recorded: by the definition that decided it, or by another. Rules RD4 to RD7.
//
// Always true: nothing is changed by it, neither the run nor the state that is handed in.

import { InvariantError } from '../../base/assert.ts';
import { copyJson } from '../../base/copy-json.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import { asJson, isJsonArray, type Json, type JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/path.ts';
import { stableStringify } from '../../base/stable-json.ts';
import type { Graph } from '../../definition/graph.ts';
import { apply, copyState } from '../apply/apply.ts';
import type { Command } from '../commands.ts';
import type { Decision } from '../decisions.ts';
import type { Event, Write } from '../events.ts';
import { planInPlace } from '../planning/plan.ts';
import type { RunState } from '../state.ts';
import { type Opening, restoreCommand } from './facts.ts';
import { refuseMisfit, startedBy } from './misfit.ts';
import { type Instead, replaceFact } from './replace-fact.ts';

/** What is otherwise than it was. */
export interface WhatIf {
  /** The definition. */
  readonly graph?: Graph;
  /** What came from outside. */
  readonly instead?: Instead;
  /** Values of the run before the commit. */
  readonly writes?: readonly Write[];
}

export interface Replayed {
  /** What came from outside, as it was decided on now. */
  readonly command: Command;
  readonly decisions: readonly Decision[];
  readonly events: readonly Event[];
  /** Null: the same events as recorded. */
  readonly difference: Difference | null;
}

/** The first event that is not what was recorded. */
export interface Difference {
  /** Its place in the commit. */
  readonly index: number;
  /** Where in the event: empty if it is another event altogether, or on one side there is none. */
  readonly pointer: string;
  readonly recorded: Event | null;
  readonly replayed: Event | null;
}

/** RD4: what is decided again is what was recorded, unless something is otherwise. */
export function replayCommit(opening: Opening, { graph = opening.graph, instead, writes }: WhatIf = {}): Replayed {
  // RD5: the facts are read by the definition that decided them, whatever other one is tried.
  const told = restoreCommand(opening);
  const fact = instead === undefined ? told : replaceFact(told, instead);
  const command = graph === opening.graph ? fact : startedBy(graph, fact);
  const state = copyState(opening.state);
  if (graph !== opening.graph) refuseMisfit(graph, state);
  if (writes !== undefined) apply(state, { type: 'context.updated', branch: [0, 0], writes });
  const decisions: Decision[] = [];
  const events = planned(graph, { state, command }, decisions);
  const difference = findDifference(opening.commit.events, events);
  return { command, decisions: decisions.filter(isSaying), events, difference };
}

/** A mapping that maps nothing was asked for, and that is all. */
const isSaying = (decision: Decision): boolean => decision.type !== 'mapping' || decision.values.length > 0;

/** What planning takes for granted may not be so with another definition. */
function planned(
  graph: Graph,
  { state, command }: { readonly state: RunState; readonly command: Command },
  decisions: Decision[],
): readonly Event[] {
  try {
    const { events } = planInPlace(graph, state, command, decisions);
    return copyJson(events); // as the journal would have them
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error;
    throw new HeddleError('REPLAY_IMPOSSIBLE', `Expected the decisions to be made again, but: ${error.message}`);
  }
}

function findDifference(recorded: readonly Event[], replayed: readonly Event[]): Difference | null {
  const length = Math.max(recorded.length, replayed.length);
  for (let index = 0; index < length; index++) {
    const [one = null, other = null] = [recorded[index], replayed[index]];
    const pointer = pointerToDifference(one && asJson(one), other && asJson(other));
    if (pointer !== null) return { index, pointer, recorded: one, replayed: other };
  }
  return null;
}

/** The first place at which two values differ; null if they are equal. Their depth is bounded, for they were journaled. */
function pointerToDifference(one: Json, other: Json): string | null {
  if (stableStringify(one) === stableStringify(other)) return null;
  if (!isJsonObject(one) && !isJsonArray(one)) return '';
  if (!isJsonObject(other) && !isJsonArray(other)) return '';
  if (isJsonArray(one) !== isJsonArray(other)) return '';
  const [a, b] = [one, other] as [JsonObject, JsonObject]; // a list is read by its indices
  if (a['type'] !== b['type']) return '';
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [left, right] = [a[key], b[key]];
    const step = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (left === undefined || right === undefined) return step;
    const rest = pointerToDifference(left, right);
    if (rest !== null) return step + rest;
  }
  return '';
}
