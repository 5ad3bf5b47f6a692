// Check nodes: the fields of one node fit together. Rules DF14, DF16 and DF55; its action and retries in files of their own.

import { checkBuiltIn } from './built-in-actions.ts';
import { checkRetry } from './check-retry.ts';
import type { MappingSource } from './definition.ts';
import type { NodeDraft } from './draft.ts';
import type { Reporter } from './reporter.ts';

export function checkNode(node: NodeDraft, reporter: Reporter): void {
  checkWork(node, reporter);
  checkAttempts(node, reporter);
  checkCost(node, reporter);
  checkAction(node, reporter);
}

function checkAction(node: NodeDraft, reporter: Reporter): void {
  const { action } = node;
  const [name, pointer] =
    typeof action === 'object'
      ? [action.name, reporter.origins.of(action, 'name')]
      : [action, reporter.origins.of(node, 'action')];
  checkBuiltIn({ name, pointer, nodeId: node.id }, reporter);
  checkRetry({ nodeId: node.id, action: name, retry: node.retry, failCode: failCodeOf(node.inputMapping) }, reporter);
}

function failCodeOf({ code = "'ACTION_FAILED'" }: MappingSource = {}): string | undefined {
  return /^\s*'([^'\\]*)'\s*$/.exec(code)?.[1] ?? /^\s*"([^"\\]*)"\s*$/.exec(code)?.[1];
}

// DF14: a node does one kind of work, or none.
function checkWork(node: NodeDraft, reporter: Reporter): void {
  const kinds = listKinds(node, reporter);
  if (kinds.length <= 1) return;
  const list = kinds.map((kind) => `"${kind}"`).join(', ');
  const message = `Expected one kind of work in node "${node.id}", but found ${list}`;
  reporter.error('SEVERAL_KINDS_OF_WORK', reporter.origins.of(node), { message });
}

// DF16: only actions and sub-workflows have attempts: a wait refuses `retry` and `timeoutMs`, a node that passes
// through ignores them with a warning.
function checkAttempts(node: NodeDraft, reporter: Reporter): void {
  const kinds = listKinds(node, reporter);
  if (kinds.includes('action') || kinds.includes('workflow')) return;
  for (const field of ['retry', 'timeoutMs'] as const) {
    if (node[field] === undefined) continue;
    const pointer = reporter.origins.of(node, field);
    if (kinds.length > 0) {
      const message = `Expected "${field}" on an action or a workflow, but node "${node.id}" is neither`;
      reporter.error('NOT_ALLOWED', pointer, { message });
    } else {
      const message = `Expected "${field}" on a node that works, but node "${node.id}" has no action or workflow`;
      reporter.warning('NO_EFFECT', pointer, { message });
    }
  }
}

// DF55: only actions cost credits.
function checkCost(node: NodeDraft, reporter: Reporter): void {
  if (node.cost === undefined || listKinds(node, reporter).includes('action')) return;
  const message = `Expected "cost" on an action, but node "${node.id}" has none: nothing is charged for it`;
  reporter.warning('NO_EFFECT', reporter.origins.of(node, 'cost'), { message });
}

function listKinds(node: NodeDraft, { origins }: Reporter): string[] {
  return ['action', 'workflow', 'input', 'wait', 'batch'].filter((kind) => origins.wasWritten(node, kind));
}
