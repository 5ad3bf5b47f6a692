// Check transitions: the fields of one transition fit together. Rules DF17 to DF21.

import type { Draft, TransitionDraft } from './draft.ts';
import { labelOf } from './draft.ts';
import { groupName, groupNamePattern, isName, reservedVariables } from './names.ts';
import type { Reporter } from './reporter.ts';
import { groupOpenedBy } from './wiring.ts';

export function checkTransitions(draft: Draft, reporter: Reporter): void {
  for (const transition of draft.transitions) {
    checkSpawn(transition, reporter);
    checkItemVariable(transition, reporter);
    checkGroupName(transition, reporter);
    checkGroupFields(transition, reporter);
    checkSynchronization(transition, reporter);
  }
}

// DF17: `foreach` and `spawnCount` exclude each other.
function checkSpawn(transition: TransitionDraft, reporter: Reporter): void {
  if (transition.foreach === undefined || transition.spawnCount === undefined) return;
  const message = `Expected "foreach" or "spawnCount" on ${labelOf(transition)}, but found both`;
  reporter.error('FOREACH_AND_SPAWN_COUNT', reporter.origins.of(transition, 'spawnCount'), { message });
}

// DF18: an item variable hides no name that expressions know already.
function checkItemVariable({ foreach, ...transition }: TransitionDraft, reporter: Reporter): void {
  if (foreach?.itemVar === undefined || !reservedVariables.has(foreach.itemVar)) return;
  const message = `Expected "itemVar" of ${labelOf(transition)} to be a free name, but "${foreach.itemVar}" is taken`;
  reporter.error('RESERVED_NAME', reporter.origins.of(foreach, 'itemVar'), { message });
}

// DF19: a group is called like a workflow, or after the node that opens it.
function checkGroupName(transition: TransitionDraft, reporter: Reporter): void {
  const { siblingGroup, from } = transition;
  if (siblingGroup === undefined || siblingGroup === from || groupNamePattern.test(siblingGroup)) return;
  if (!isName(groupName, siblingGroup)) return; // no name of anything, which was reported
  reporter.error('INVALID_NAME', reporter.origins.of(transition, 'siblingGroup'), {
    message: `Expected "siblingGroup" of ${labelOf(transition)} to be a group name, but found "${siblingGroup}"`,
    hint: 'Names begin with a letter and go on with at most 127 letters, digits, "_" or "-".',
  });
}

// DF20: `onBranchFailure`, `maxFailures` and `emptyJoin` belong to a group, `maxFailures` to tolerated failures.
function checkGroupFields(transition: TransitionDraft, reporter: Reporter): void {
  const opens = groupOpenedBy(transition) !== null || transition.on === 'slice';
  for (const field of ['onBranchFailure', 'maxFailures', 'emptyJoin'] as const) {
    if (opens || transition[field] === undefined) continue;
    const message = `Expected "${field}" on a transition that opens a group, but ${labelOf(transition)} opens none`;
    const hint = 'Give it a "siblingGroup", a "foreach" or a "spawnCount" above 1.';
    reporter.error('NOT_ALLOWED', reporter.origins.of(transition, field), { message, hint });
  }
  if (opens && transition.maxFailures !== undefined && transition.onBranchFailure !== 'end') {
    const message = `Expected "maxFailures" beside "onBranchFailure": "end", but ${labelOf(transition)} does not say that`;
    reporter.error('NOT_ALLOWED', reporter.origins.of(transition, 'maxFailures'), { message });
  }
}

// DF21: a synchronization over edges has `require` and nothing else; one over siblings has no `require`.
function checkSynchronization(transition: TransitionDraft, reporter: Reporter): void {
  const { synchronization } = transition;
  if (synchronization === undefined) return;
  const overEdges = 'over' in synchronization;
  for (const field of Object.keys(synchronization)) {
    if (field === 'over' || overEdges === (field === 'require')) continue;
    const kind = overEdges ? 'edges' : 'siblings';
    const message = `Expected what a join over ${kind} knows on ${labelOf(transition)}, but found "${field}"`;
    const hint = field === 'require' ? 'It belongs to "over": "edges".' : undefined;
    reporter.error('NOT_ALLOWED', reporter.origins.of(synchronization, field), { message, hint });
  }
}
