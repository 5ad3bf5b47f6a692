// CheckStrays: what nobody asked for changes nothing (I20, I37; FT22, FT24). In one process no worker can report for a
// hand-out that was superseded, so such results are put to the core itself, in states that a world really went through.

import { Definitions } from '../packages/heddle/src/actor/definitions.ts';
import { replay } from '../packages/heddle/src/actor/journal.ts';
import type { RunRow, Store } from '../packages/heddle/src/actor/ports.ts';
import { emptyState } from '../packages/heddle/src/core/apply/apply.ts';
import type { Command } from '../packages/heddle/src/core/commands.ts';
import { planInPlace } from '../packages/heddle/src/core/planning/plan.ts';
import type { RunState } from '../packages/heddle/src/core/state.ts';
import { defaultLimits } from '../packages/heddle/src/definition/limits.ts';
import type { Dice } from '../packages/heddle/src/simulation/dice.ts';

/** Null, or what a stray result changed, in some state of some run. */
export async function checkStrays(store: Store, dice: Dice): Promise<string | null> {
  const rows = (await store.pageRuns({ limit: 100 })).rows.filter(({ seq }) => seq > 0);
  const row = dice.pick(rows);
  if (!row) return null;
  const definitions = new Definitions(store, defaultLimits);
  const graph = await definitions.find(row.workflow, row.version);
  if (!graph) return null;
  const state = await stateAt(store, row, 1 + dice.draw(row.seq));
  for (const command of straysFor(state)) {
    const { events, reply } = planInPlace(graph, state, command);
    if (events.length + Number(reply.applied) > 0)
      return `I20 Expected ${JSON.stringify(command)} to change nothing in run ${row.runId}, but ${JSON.stringify(events)}`;
  }
  return null;
}

async function stateAt(store: Store, { runId }: RunRow, seq: number): Promise<RunState> {
  const state = emptyState();
  replay(state, await store.readJournal(runId, 1, seq));
  return state;
}

function* straysFor({ tokens, lastToken, at, outcome }: RunState): Generator<Command> {
  const result = (token: number, dispatch: number): Command => ({
    type: 'task.result',
    at,
    token,
    dispatch,
    outcome: { type: 'completed', output: { stray: true } },
  });
  for (const { id, dispatch, status } of tokens.values()) {
    yield result(id, dispatch - 1);
    yield result(id, dispatch + 1);
    if (status !== 'dispatched') yield result(id, dispatch);
  }
  yield result(lastToken + 7, 1);
  if (outcome !== null) for (const type of ['alarm', 'recover', 'pause', 'resume'] as const) yield { type, at };
}
