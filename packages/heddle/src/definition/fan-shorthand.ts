// Fan shorthand: node-level `fan_out` and `fan_in`, turned into groups, priorities and synchronizations of the
// transitions around the node. Rules DF9 and DF10.

import type { SiblingSynchronization } from './definition.ts';
import { type FanInDraft, labelOf, type NodeDraft, type TransitionDraft } from './draft.ts';
import { listMerges } from './merges.ts';
import type { Reporter } from './reporter.ts';

type SynchronizationDraft = { -readonly [Key in keyof SiblingSynchronization]: SiblingSynchronization[Key] };

// DF9: `fan_out: all` makes one tier and one group, named after the node, of all transitions that a success can
// take; `first_match` makes all priorities distinct, in order of priority, then of definition.
export function expandFanOut(node: NodeDraft, leaving: readonly TransitionDraft[], reporter: Reporter): void {
  const { fanOut } = node;
  if (fanOut === undefined) return;
  const outgoing = leaving.filter(({ on }) => on !== 'slice'); // those of a batch are no way out of it
  const pointer = reporter.origins.of(node, 'fanOut');
  delete node.fanOut;
  if (fanOut === 'first_match') {
    const ordered = outgoing.toSorted((left, right) => (left.priority ?? 1) - (right.priority ?? 1));
    for (const [index, transition] of ordered.entries()) transition.priority = index + 1;
    return;
  }
  const branches = outgoing.filter((transition) => transition.on !== 'failure');
  const priority = branches.reduce((lowest, transition) => Math.min(lowest, transition.priority ?? 1), Infinity);
  for (const transition of branches) {
    if ((transition.priority ?? 1) !== priority) transition.priority = priority;
    if (transition.siblingGroup !== undefined) continue;
    transition.siblingGroup = node.id;
    reporter.origins.placeField(transition, 'siblingGroup', pointer);
  }
}

// DF10: node `fan_in` (with `merge` and `on_early_complete` beside it) is the same synchronization on every inbound
// transition.
export function expandFanIn(node: NodeDraft, inbound: readonly TransitionDraft[], reporter: Reporter): void {
  const { fanIn } = node;
  const synchronization = fanIn === undefined ? undefined : makeSynchronization(node, fanIn, reporter);
  addMergeSection(node);
  moveBeside(node, synchronization, 'merge', reporter);
  moveBeside(node, synchronization, 'onEarlyComplete', reporter);
  delete node.fanIn;
  if (synchronization === undefined) return;
  for (const transition of inbound) {
    if (transition.synchronization !== undefined) {
      const message = `Expected a fan-in on node "${node.id}" or on ${labelOf(transition)}, but found both`;
      reporter.error('DUPLICATE_FIELD', reporter.origins.of(transition, 'synchronization'), { message });
      continue;
    }
    transition.synchronization = synchronization;
    reporter.origins.placeField(transition, 'synchronization', reporter.origins.of(synchronization));
  }
}

function makeSynchronization(
  node: NodeDraft,
  fanIn: 'any' | 'all' | FanInDraft,
  { origins }: Reporter,
): SynchronizationDraft {
  const pointer = origins.of(node, 'fanIn');
  const made: SynchronizationDraft = { strategy: 'all' };
  origins.place(made, pointer);
  if (typeof fanIn === 'string') {
    made.strategy = fanIn;
    origins.placeField(made, 'strategy', pointer);
    return made;
  }
  const { mOfN, ...fields } = fanIn;
  Object.assign(made, fields);
  for (const field of Object.keys(fields)) origins.placeField(made, field, origins.of(fanIn, field));
  if (mOfN === undefined) return made;
  const strategy = { mOfN };
  made.strategy = strategy;
  origins.place(strategy, pointer);
  origins.placeField(strategy, 'mOfN', origins.of(fanIn, 'mOfN'));
  return made;
}

/** The target of a node-level merge is a key of the state unless it names a section. */
function addMergeSection(node: NodeDraft): void {
  for (const merge of listMerges(node)) {
    if (!/^(state|output|input|result|_branch)(\.|$)/.test(merge.target))
      Object.assign(merge, { target: `state.${merge.target}` });
  }
}

function moveBeside(
  node: NodeDraft,
  synchronization: SynchronizationDraft | undefined,
  field: 'merge' | 'onEarlyComplete',
  reporter: Reporter,
): void {
  const value = node[field];
  if (value === undefined) return;
  const pointer = reporter.origins.of(node, field);
  delete node[field];
  if (synchronization === undefined || synchronization[field] !== undefined) {
    const found = synchronization === undefined ? 'the node has none' : 'the fan-in has one already';
    const message = `Expected "${field}" of node "${node.id}" to belong to its fan-in, but ${found}`;
    reporter.error('NOT_ALLOWED', pointer, { message });
    return;
  }
  Object.assign(synchronization, { [field]: value });
  reporter.origins.placeField(synchronization, field, pointer);
}
