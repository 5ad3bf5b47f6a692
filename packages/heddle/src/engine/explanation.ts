// Explanation: why a run did what it did in one commit, for people and programs: how it stood, what came, what was decided
// and by what, and whether that is what was recorded.

import { copyJson } from '../base/copy-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import { joinTarget } from '../base/targets.ts';
import type { Write } from '../core/events.ts';
import type { Opening } from '../core/replay/facts.ts';
import type { Instead } from '../core/replay/replace-fact.ts';
import { type WhatIf as CommitWhatIf, type Difference, replayCommit } from '../core/replay/replay-commit.ts';
import { type RunEvent, runEvent } from '../core/run-event.ts';
import type { Limits } from '../definition/limits.ts';
import { checkText } from '../operations/check-request.ts';
import { takeJson } from '../operations/check-value.ts';
import type { ExplainedDifference, Explanation, WhatIf } from '../operations/run-views.ts';
import { checkOptions } from './check-options.ts';
import { viewOf } from './state-at.ts';

interface Asked {
  readonly runId: string;
  readonly eventId: string;
  readonly opening: Opening;
}

export function explain({ runId, eventId, opening }: Asked, whatIf: CommitWhatIf): Explanation {
  const { commit, state } = opening;
  const { command, decisions, events, difference } = replayCommit(opening, whatIf);
  const shown = (all: typeof events): RunEvent[] => all.map((event, index) => runEvent(runId, commit, index, event));
  const explanation: Explanation = {
    runId,
    eventId,
    commit: commit.seq,
    at: commit.at,
    before: viewOf(state, runId),
    command,
    decisions,
    recorded: shown(commit.events),
    replayed: shown(events),
    difference: difference && differenceAt(commit.seq, difference),
  };
  return copyJson(explanation as unknown as Json) as unknown as Explanation; // of plain fields, and nobody else's
}

export function differenceAt(seq: number, { index, ...difference }: Difference): ExplainedDifference {
  return { eventId: `${seq}.${index}`, ...difference };
}

export const whatIfKinds = { definition: 'other', instead: 'other', state: 'other' } as const;

/** RD9: what is otherwise is checked, and is JSON within the limits, before anything is made of it. */
export function checkWhatIf({ instead, state }: WhatIf, limits: Limits): Omit<CommitWhatIf, 'graph'> {
  return {
    ...(instead === undefined ? {} : { instead: checkedInstead(instead, limits) }),
    ...(state === undefined ? {} : { writes: writesOf(state, limits) }),
  };
}

function checkedInstead(given: Instead, limits: Limits): Instead {
  checkOptions('instead', given, { output: 'other', error: 'members', input: 'other' });
  const taken = takeJson(given, { limits, what: 'instead', code: 'NOT_JSON' });
  const instead = taken as unknown as Instead; // its fields were checked
  if (Object.keys(instead).length !== 1)
    throw new HeddleError(
      'OPTION_INVALID',
      'Expected one of output, error and input in instead, but found none or more',
    );
  if ('error' in instead) {
    checkOptions('error', instead.error, { code: 'text', message: 'text', details: 'other' });
    checkText('the code of the error', instead.error.code);
    checkText('the message of the error', instead.error.message);
  }
  return instead;
}

function writesOf(given: JsonObject, limits: Limits): Write[] {
  const state = takeJson(given, { limits, what: 'state', code: 'NOT_JSON' });
  if (!isJsonObject(state))
    throw new HeddleError('OPTION_INVALID', 'Expected an object of values for state, but found something else');
  return Object.entries(state).map(([key, value]): Write => [joinTarget(['state', key]), value]);
}
