// Thread check of texts: every path may be written or read, every expression parses and reads only what can be in
// scope, every JSON Schema can be compiled. Rules TH15 and TH16.

import { checkCondition, checkSchema, checkSource, checkTarget } from '../../definition/check-expressions.ts';
import type { Limits } from '../../definition/limits.ts';
import type { Reporter } from '../../definition/reporter.ts';
import { parseKeys, type Target } from '../../definition/target.ts';
import { neverTaken } from './lower.ts';
import {
  type InitialEntry,
  isBlank,
  type SwitchEntry,
  type ThreadDraft,
  type ThreadMapping,
  type ThreadNode,
} from './thread.ts';

interface Check {
  readonly reporter: Reporter;
  readonly limits: Limits;
}

// TH16: expressions read the context, the run's input, and where they are; `result` only what is kept of a result.
const reading: ReadonlySet<string> = new Set(['context', 'input', '_branch', '_batch', '_trigger']);
const keeping: ReadonlySet<string> = new Set([...reading, 'result']);

export function checkThreadTexts(draft: ThreadDraft, check: Check): void {
  checkSchema(check, draft, 'inputSchema', draft.inputSchema);
  checkSchema(check, draft, 'outputSchema', draft.outputSchema);
  for (const node of draft.nodes) checkNode(check, node);
}

function checkNode(check: Check, node: ThreadNode): void {
  const who = `node "${node.id}"`;
  switch (node.type) {
    case 'start':
      for (const entry of node.initialize ?? []) checkEntry(check, entry, who);
      return;
    case 'end':
      return checkMappings(check, node.mappings, { who, names: reading, writes: false });
    case 'edit':
      for (const upsert of node.upserts ?? []) checkAssignment(check, upsert, who);
      for (const [index, path] of (node.deletes ?? []).entries()) {
        const pointer = `${check.reporter.origins.of(node, 'deletes')}/${index}`;
        checkTarget(check, parseContextPath(path), { pointer, who });
      }
      return;
    case 'switch':
      for (const entry of node.entries) checkSwitchEntry(check, entry, who);
      return;
    case 'action':
    case 'gosub':
      checkMappings(check, node.inputs, { who, names: reading, writes: false });
      return checkMappings(check, node.outputs, { who, names: keeping, writes: true });
    case 'code':
      if (node.path !== undefined) checkPath(check, { path: node.path, owner: node, field: 'path', who });
      checkField(check, node, who);
      for (const assignment of node.set ?? []) checkAssignment(check, assignment, who);
      return;
    case 'batch':
      return checkPath(check, { path: node.items, owner: node, field: 'items', who });
    case 'input':
      return checkSchema(check, node, 'schema', node.schema);
    case 'fanOut':
    case 'fanIn':
      return;
  }
}

/** Also as it is compiled where it is not connected, which is a little longer. */
function checkSwitchEntry(check: Check, entry: SwitchEntry, who: string): void {
  const { expression = '' } = entry;
  if (isBlank(entry)) return;
  const { problems, origins } = check.reporter;
  const before = problems.length;
  const site = { pointer: origins.of(entry, 'expression'), who, names: reading };
  checkCondition(check, expression, site);
  if (problems.length === before) checkSource(check, neverTaken(expression), site);
}

function checkEntry(check: Check, entry: InitialEntry, who: string): void {
  checkAssignment(check, entry, who);
  if (entry.default === undefined || entry.expression === undefined) return;
  const message = `Expected only one of them, but found "default" and "expression", in ${who}`;
  check.reporter.error('DUPLICATE_FIELD', check.reporter.origins.of(entry), { message });
}

function checkAssignment(
  check: Check,
  owner: { readonly path: string; readonly expression?: string },
  who: string,
): void {
  checkPath(check, { path: owner.path, owner, field: 'path', who });
  checkField(check, owner, who);
}

interface MappingSite {
  readonly who: string;
  readonly names: ReadonlySet<string>;
  /** Whether they write to the context. */
  readonly writes: boolean;
}

function checkMappings(check: Check, mappings: readonly ThreadMapping[] | undefined, site: MappingSite): void {
  const { who, names, writes } = site;
  for (const mapping of mappings ?? []) {
    const at = (field: string) => ({ pointer: check.reporter.origins.of(mapping, field), who });
    checkTarget(check, writes ? parseContextPath(mapping.to) : parseKeys(mapping.to), at('to'));
    if (mapping.from !== undefined) checkTarget(check, parseKeys(mapping.from), at('from'));
    if (mapping.expression !== undefined) checkSource(check, mapping.expression, { ...at('expression'), names });
  }
}

function checkField(check: Check, owner: { readonly expression?: string }, who: string): void {
  if (owner.expression === undefined) return;
  const pointer = check.reporter.origins.of(owner, 'expression');
  checkSource(check, owner.expression, { pointer, who, names: reading });
}

function checkPath(
  check: Check,
  { path, owner, field, who }: { path: string; owner: object; field: string; who: string },
): void {
  checkTarget(check, parseContextPath(path), { pointer: check.reporter.origins.of(owner, field), who });
}

// TH15: a path of the context is keys joined by dots, none of which reaches a prototype or what the engine keeps.
function parseContextPath(path: string): Target {
  const parsed = parseKeys(path);
  if ('problem' in parsed || parsed.path[0] !== '_last_error') return parsed;
  return { problem: { message: `Expected a path that can be written, but "_last_error" is set by the engine` } };
}
