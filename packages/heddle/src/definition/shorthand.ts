// Shorthand: words of a node that stand for fields elsewhere (`execution`, `on_failure`; `fan_out` and `fan_in` in
// `fan-shorthand.ts`), conditions on the last error, and a strategy that is not said. Rules DF7, DF8,
// DF11, DF80.
//
// Always true: afterwards no node has a shorthand field, and each field that was made points to the author's word.

import { conditionSource } from '../expression/condition.ts';
import type { RetryDefinition } from './definition.ts';
import type { Draft, NodeDraft, TransitionDraft } from './draft.ts';
import { expandFanIn, expandFanOut } from './fan-shorthand.ts';
import type { Reporter } from './reporter.ts';

export function expandShorthand(draft: Draft, reporter: Reporter): void {
  for (const transition of draft.transitions) {
    expandLastError(transition);
    expandStrategy(transition, reporter);
  }
  const outgoing = groupByEnd(draft.transitions, 'from');
  const inbound = groupByEnd(draft.transitions, 'to');
  for (const node of draft.nodes) {
    expandExecution(node, `node "${node.id}"`, reporter);
    expandWorkflowCall(node, reporter);
    expandFanOut(node, outgoing.get(node.id) ?? [], reporter);
    expandFanIn(node, inbound.get(node.id) ?? [], reporter);
  }
}

function groupByEnd(transitions: readonly TransitionDraft[], end: 'from' | 'to'): Map<string, TransitionDraft[]> {
  const groups = new Map<string, TransitionDraft[]>();
  for (const transition of transitions) {
    const group = groups.get(transition[end]);
    if (group === undefined) groups.set(transition[end], [transition]);
    else group.push(transition);
  }
  return groups;
}

const lastErrorPattern = /\bstate\s*\.\s*\??\s*_last_error\b|\bstate\s*\[\s*\??\s*['"]_last_error['"]/;

// DF11: a condition that reads the last error, on a transition that does not say `on`, is tried after any outcome.
function expandLastError(transition: TransitionDraft): void {
  const { condition } = transition;
  if (transition.on !== undefined || condition === undefined || typeof condition === 'boolean') return;
  const made = conditionSource(condition);
  if ('source' in made && lastErrorPattern.test(made.source)) transition.on = 'any';
}

// DF80: a synchronization over siblings without a strategy means `all`. One that could not be read is not made up for.
function expandStrategy({ synchronization }: TransitionDraft, { origins }: Reporter): void {
  if (synchronization === undefined || ['strategy', 'over'].some((field) => origins.wasWritten(synchronization, field)))
    return;
  Object.assign(synchronization, { strategy: 'all' });
}

/** How often and how long something is tried, said at once or under `execution`. */
export interface ExecutionSettings {
  retry?: RetryDefinition;
  timeoutMs?: number;
  execution?: { retry?: RetryDefinition; timeoutMs?: number };
}

// DF7: `execution {retry, timeoutMs}` stands for `retry` and `timeoutMs` of the node.
export function expandExecution(settings: ExecutionSettings, owner: string, reporter: Reporter): void {
  const { execution } = settings;
  if (execution === undefined) return;
  delete settings.execution;
  for (const field of ['retry', 'timeoutMs'] as const) {
    if (execution[field] === undefined) continue;
    const pointer = reporter.origins.of(execution, field);
    if (settings[field] !== undefined) {
      const message = `Expected "${field}" of ${owner} once, but found it in "execution" too`;
      reporter.error('DUPLICATE_FIELD', pointer, { message });
      continue;
    }
    Object.assign(settings, { [field]: execution[field] });
    reporter.origins.placeField(settings, field, pointer);
  }
}

// DF8: `on_failure` and `inherit_artifacts` beside a `workflow_call` belong to it.
function expandWorkflowCall(node: NodeDraft, reporter: Reporter): void {
  for (const field of ['onFailure', 'inheritArtifacts'] as const) {
    const value = node[field];
    if (value === undefined) continue;
    const pointer = reporter.origins.of(node, field);
    delete node[field];
    const call = openWorkflowCall(node, reporter);
    if (call === undefined || Object.hasOwn(call, field)) {
      const message = `Expected "${field}" once, in "workflow" of node "${node.id}", but found it on the node`;
      reporter.error('NOT_ALLOWED', pointer, { message });
      continue;
    }
    Object.assign(call, { [field]: value });
    reporter.origins.placeField(call, field, pointer);
  }
}

/** The sub-workflow of the node as an object. */
function openWorkflowCall(node: NodeDraft, reporter: Reporter): object | undefined {
  if (typeof node.workflow !== 'string') return node.workflow;
  const call = { id: node.workflow };
  reporter.origins.place(call, reporter.origins.of(node, 'workflow'));
  reporter.origins.placeField(call, 'id', reporter.origins.of(node, 'workflow'));
  node.workflow = call;
  return call;
}
