// Check expressions: every expression parses and reads only what can be in scope, every target may be written, every
// JSON Schema can be compiled. Rule DF25; targets in `target.ts`.

import { given } from '../base/given.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { nearestHint } from '../base/nearest.ts';
import { compileExpression } from '../expression/compile.ts';
import { conditionSource } from '../expression/condition.ts';
import type { Expression } from '../expression/expression.ts';
import { unknownMember } from '../expression/fixed-members.ts';
import { findReads } from '../expression/reads.ts';
import type { BatchMergeDefinition, JsonSchema, MappingSource, PromptDefinition } from './definition.ts';
import { type Draft, labelOf, type NodeDraft, type TransitionDraft } from './draft.ts';
import type { Limits } from './limits.ts';
import { listMerges } from './merges.ts';
import type { Reporter } from './reporter.ts';
import { compileSchema } from './schema.ts';
import { makeScopes, type Scopes } from './scope.ts';
import { describeJson, listNames } from './shape.ts';
import { parseKeys, parseSectionTarget, type Target } from './target.ts';

/** What checking one text or schema needs; dialects have it too. */
interface TextCheck {
  readonly reporter: Reporter;
  readonly limits: Limits;
}

interface Check extends TextCheck {
  readonly scopes: Scopes;
  /** Synchronizations made from one node-level fan-in are one object: looked at once. */
  readonly seen: Set<object>;
}

interface Site {
  readonly pointer: string;
  readonly who: string;
  readonly names: ReadonlySet<string>;
}

export function checkExpressions(draft: Draft, { reporter, limits }: { reporter: Reporter; limits: Limits }): void {
  const check: Check = { reporter, limits, scopes: makeScopes(draft.transitions), seen: new Set() };
  checkDefinition(check, draft);
  for (const node of draft.nodes) checkNode(check, node);
  for (const transition of draft.transitions) checkTransition(check, transition);
}

function checkDefinition(check: Check, draft: Draft): void {
  for (const field of ['inputSchema', 'stateSchema', 'outputSchema'] as const)
    checkSchema(check, draft, field, draft[field]);
  const { outputMapping } = draft;
  const { reading, counting } = check.scopes;
  if (outputMapping !== undefined)
    checkMapping(check, outputMapping, { who: 'the output mapping', names: reading, parseTarget: parseKeys });
  checkSummary(check, draft, { who: 'the summary', names: counting });
}

// DF111: a summary knows the run itself, and that of a node what its visit gave.
function checkSummary(check: Check, owner: Draft | NodeDraft, site: Omit<Site, 'pointer'>): void {
  if (owner.summary === undefined) return;
  checkSource(check, owner.summary, { ...site, pointer: check.reporter.origins.of(owner, 'summary') });
}

function checkNode(check: Check, node: NodeDraft): void {
  const { reading, routing, visiting } = check.scopes;
  if (node.inputMapping !== undefined) {
    const who = `the input mapping of node "${node.id}"`;
    checkMapping(check, node.inputMapping, { who, names: reading, parseTarget: parseKeys });
  }
  if (node.outputMapping !== undefined) {
    const who = `the output mapping of node "${node.id}"`;
    checkMapping(check, node.outputMapping, { who, names: routing, parseTarget: parseSectionTarget });
  }
  if (node.wait !== undefined) checkWait(check, node, node.wait);
  if (typeof node.input === 'object') checkPrompt(check, node, node.input);
  if (node.batch?.merge !== undefined) checkMerge(check, node.batch.merge, `the merge of node "${node.id}"`);
  checkSummary(check, node, { who: `the summary of node "${node.id}"`, names: visiting });
}

function checkPrompt(check: Check, node: NodeDraft, prompt: PromptDefinition): void {
  checkSchema(check, prompt, 'schema', prompt.schema);
  for (const field of ['title', 'description'] as const) {
    const text = prompt[field];
    if (typeof text !== 'object' || text.expression === undefined) continue;
    const pointer = check.reporter.origins.of(text, 'expression');
    const who = `the ${field} of the prompt of node "${node.id}"`;
    checkSource(check, text.expression, { pointer, who, names: check.scopes.reading });
  }
}

function checkMerge(check: Check, merge: BatchMergeDefinition, who: string): void {
  const { origins } = check.reporter;
  if (merge.target !== undefined)
    checkTarget(check, parseSectionTarget(merge.target), { pointer: origins.of(merge, 'target'), who });
  if (merge.source === undefined) return;
  checkSource(check, merge.source, { pointer: origins.of(merge, 'source'), who, names: check.scopes.merging });
}

export function checkSchema(check: TextCheck, owner: object, field: string, schema: JsonSchema | undefined): void {
  const compiled = schema === undefined ? null : compileSchema(schema, check.reporter.schemaTrial);
  if (compiled === null || !('problems' in compiled)) return;
  for (const { code, pointer, message, hint } of compiled.problems)
    check.reporter.error(code, `${check.reporter.origins.of(owner, field)}${pointer}`, { message, hint });
}

function checkWait(check: Check, node: NodeDraft, wait: object): void {
  for (const [field, value] of Object.entries(wait)) {
    if (typeof value !== 'string' || field === 'event' || field === 'since') continue;
    const pointer = check.reporter.origins.of(wait, field);
    const who = `the wait of node "${node.id}"`;
    const compiled = checkSource(check, value, { pointer, who, names: check.scopes.reading }, waitHint(field, value));
    const fixed = compiled?.roots.size === 0 ? compiled.evaluate({}) : undefined;
    if (fixed?.type === 'value') checkFixedWait(check, { field, value: fixed.value, pointer, who });
  }
}

function waitHint(field: string, source: string): string | undefined {
  if (/^\d{4}-\d\d-\d\d/.test(source)) return `A fixed time is a text inside the expression: "'${source}'".`;
  const isDuration = field === 'seconds' && /^\s*(P|PT)?[\d.]+\s*[a-z]+\s*$/i.test(source);
  return isDuration ? 'Write the number of seconds, such as 600 for ten minutes.' : undefined;
}

interface FixedWait {
  readonly field: string;
  readonly value: Json;
  readonly pointer: string;
  readonly who: string;
}

// DF64: what a wait is told without reading anything is of the right kind.
function checkFixedWait({ reporter }: Check, { field, value, pointer, who }: FixedWait): void {
  const isTime = field === 'until' && typeof value === 'string' && !Number.isNaN(Date.parse(value));
  if (field === 'correlation' || isTime || typeof value === 'number') return;
  const what = field === 'until' ? 'milliseconds since 1970 or an ISO 8601 text' : 'a number of seconds';
  const message = `Expected "${field}" to give ${what}, but it gives ${describeJson(value)}, in ${who}`;
  reporter.error('WRONG_TYPE', pointer, { message });
}

function checkTransition(check: Check, transition: TransitionDraft): void {
  const { condition, foreach, synchronization } = transition;
  const { origins } = check.reporter;
  const who = labelOf(transition);
  if (condition !== undefined && typeof condition !== 'boolean') {
    const pointer = origins.of(transition, 'condition');
    checkCondition(check, condition, { pointer, who: `the condition of ${who}`, names: check.scopes.routing });
  }
  if (foreach !== undefined) {
    const pointer = origins.of(foreach, 'collection');
    checkSource(check, foreach.collection, { pointer, who: `the collection of ${who}`, names: check.scopes.reading });
  }
  if (synchronization === undefined || 'over' in synchronization || check.seen.has(synchronization)) return;
  check.seen.add(synchronization);
  const { strategy } = synchronization;
  if (typeof strategy === 'object' && typeof strategy.mOfN === 'string') {
    const pointer = origins.of(strategy, 'mOfN');
    checkSource(check, strategy.mOfN, { pointer, who: `the quorum of ${who}`, names: check.scopes.counting });
  }
  for (const merge of listMerges(synchronization)) checkMerge(check, merge, `the merge of ${who}`);
}

interface MappingSite {
  readonly who: string;
  readonly names: ReadonlySet<string>;
  readonly parseTarget: (target: string) => Target;
}

function checkMapping(check: Check, mapping: MappingSource, { who, names, parseTarget }: MappingSite): void {
  for (const [target, source] of Object.entries(mapping)) {
    const pointer = check.reporter.origins.of(mapping, target);
    checkTarget(check, parseTarget(target), { pointer, who });
    checkSource(check, source, { pointer, who, names });
  }
}

export function checkTarget(
  check: TextCheck,
  target: Target,
  { pointer, who }: { pointer: string; who: string },
): void {
  if (!('problem' in target)) return;
  const { message, hint } = target.problem;
  check.reporter.error('INVALID_TARGET', pointer, { message: `${message}, in ${who}`, hint });
}

/** An expression, or a condition as data. */
export function checkCondition(check: TextCheck, condition: string | JsonObject, site: Site): void {
  const made = conditionSource(condition);
  if ('source' in made) checkSource(check, made.source, site);
  else reportExpression(check, made.problem, { ...site, pointer: `${site.pointer}${made.problem.pointer}` });
}

// DF25: an expression that does not parse, or reads what cannot be in scope, is found before any run.
export function checkSource(check: TextCheck, source: string, site: Site, hint?: string): Expression | undefined {
  const compiled = compileExpression(source, { limits: check.limits, names: site.names });
  if ('problem' in compiled) {
    const { problem } = compiled;
    reportExpression(check, hint === undefined ? problem : { ...problem, hint }, site);
    return undefined;
  }
  checkEngineMembers(check, source, site);
  return compiled.expression;
}

/** What has none of these names reads none of their members; most expressions. */
const engineNames = /_branch|_batch|_trigger|_last_error|_failure/;

// DF110: of the engine's own names only the members that there are can be read, also where they are asked for first.
function checkEngineMembers(check: TextCheck, source: string, site: Site): void {
  if (!engineNames.test(source)) return;
  for (const { root, keys } of findReads(source).mentions) {
    const unknown = unknownMember(root, keys);
    if (unknown === null) continue;
    const { path, key, known } = unknown;
    const message = `Expected a member of ${path} (${listNames(known)}), but found "${key}"`;
    const hint = nearestHint(key, known);
    reportExpression(check, { code: 'EXPRESSION_UNKNOWN_NAME', message, ...given({ hint }) }, site);
    return;
  }
}

interface ExpressionText {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

function reportExpression(check: TextCheck, { code, message, hint }: ExpressionText, { pointer, who }: Site): void {
  check.reporter.error(code, pointer, { message: `${message}, in ${who}`, hint });
}
