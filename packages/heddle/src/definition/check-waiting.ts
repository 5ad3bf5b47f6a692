// Check waiting: prompts, waits for events and batches, and the transitions that their slices take. Rules DF51 to DF54.

import type { Draft, NodeDraft, TransitionDraft } from './draft.ts';
import { labelOf } from './draft.ts';
import type { Reporter } from './reporter.ts';
import { parseKeys } from './target.ts';

/** `allNodesRead`: false if a node was left out, so that what seems to be no batch may be that one. */
export function checkWaiting(
  draft: Draft,
  { reporter, allNodesRead }: { reporter: Reporter; allNodesRead: boolean },
): void {
  const batches = new Set<string>();
  for (const node of draft.nodes) {
    checkInput(node, reporter);
    checkEventFields(node, reporter);
    checkItems(node, reporter);
    if (reporter.origins.wasWritten(node, 'batch')) batches.add(node.id);
  }
  const slices = draft.transitions.filter(({ on }) => on === 'slice');
  for (const transition of slices) {
    if (allNodesRead) checkLeavesBatch(transition, { batches, reporter });
    checkSlice(transition, reporter);
  }
  checkAgreement(slices, reporter);
  warnOfIdleBatches(draft, { batches, reporter });
}

// DF51: a node asks a person or does not: `input: false` says nothing.
function checkInput(node: NodeDraft, reporter: Reporter): void {
  if ((node.input as unknown) !== false) return;
  const message = `Expected "input" of node "${node.id}" to be true or a prompt, but found false`;
  reporter.error('WRONG_TYPE', reporter.origins.of(node, 'input'), { message, hint: 'Leave it out.' });
}

// DF52: `correlation`, `timeoutMs`, `since` and `once` of a wait belong to one for an event.
function checkEventFields({ id, wait }: NodeDraft, reporter: Reporter): void {
  if (wait === undefined || 'event' in wait) return;
  for (const field of ['correlation', 'timeoutMs', 'since', 'once']) {
    if (!(field in wait)) continue;
    const message = `Expected "${field}" beside "event" in the wait of node "${id}", but it waits for no event`;
    reporter.error('NOT_ALLOWED', reporter.origins.of(wait, field), { message });
  }
}

// DF53: the list of a batch is at a path below `state`, `output` or `input`.
function checkItems({ id, batch }: NodeDraft, reporter: Reporter): void {
  if (batch?.items === undefined) return;
  const parsed = parseKeys(batch.items);
  const path = 'path' in parsed ? parsed.path : [];
  if (path.length > 1 && ['state', 'output', 'input'].includes(path[0] ?? '')) return;
  reporter.error('INVALID_TARGET', reporter.origins.of(batch, 'items'), {
    message: `Expected "items" of node "${id}" to be a path below state, output or input, but found "${batch.items}"`,
    hint: 'Write a path such as "state.papers".',
  });
}

const sliceFields = new Set(['id', 'from', 'to', 'on', 'onBranchFailure', 'maxFailures', 'meta']);

// DF54: a transition for slices leaves a batch, and only leads on: conditions and fan-outs come behind its first node.
// Several of one batch do not contradict each other.
function checkSlice(transition: TransitionDraft, reporter: Reporter): void {
  for (const field of Object.keys(transition)) {
    if (sliceFields.has(field)) continue;
    const message = `Expected ${labelOf(transition)} only to lead on, since it is for slices, but found "${field}"`;
    const hint = 'Put it on a transition behind the first node of the slice.';
    reporter.error('NOT_ALLOWED', reporter.origins.of(transition, field), { message, hint });
  }
}

function checkLeavesBatch(
  transition: TransitionDraft,
  { batches, reporter }: { batches: ReadonlySet<string>; reporter: Reporter },
): void {
  if (batches.has(transition.from)) return;
  const message = `Expected ${labelOf(transition)} to leave a batch, since it is for slices, but node "${transition.from}" is none`;
  reporter.error('NOT_ALLOWED', reporter.origins.of(transition, 'on'), { message });
}

/** All transitions for the slices of one batch lead into the same branches: the first word on each setting counts. */
function checkAgreement(slices: readonly TransitionDraft[], reporter: Reporter): void {
  for (const field of ['onBranchFailure', 'maxFailures'] as const) {
    const first = new Map<string, TransitionDraft>();
    for (const transition of slices) {
      if (transition[field] === undefined) continue;
      const before = first.get(transition.from);
      if (before === undefined) first.set(transition.from, transition);
      if (before === undefined || before[field] === transition[field]) continue;
      const message = `Expected ${labelOf(before)} and ${labelOf(transition)} to agree on "${field}" of the slices of "${transition.from}", but they differ`;
      reporter.error('GROUP_DISAGREES', reporter.origins.of(transition, field), { message });
    }
  }
}

function warnOfIdleBatches(
  draft: Draft,
  { batches, reporter }: { batches: ReadonlySet<string>; reporter: Reporter },
): void {
  const working = new Set(draft.transitions.flatMap(({ from, on }) => (on === 'slice' ? [from] : [])));
  for (const node of draft.nodes) {
    if (!batches.has(node.id) || working.has(node.id)) continue;
    const message = `Expected a transition with "on": "slice" from batch "${node.id}", but there is none: nothing is done with its items`;
    reporter.warning('NO_EFFECT', reporter.origins.of(node, 'batch'), { message });
  }
}
