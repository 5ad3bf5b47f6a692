// Parse trigger: what an author wrote becomes a trigger, or a list of everything that is wrong with it. Rules TR1–TR3.

import { copyToJson } from '../base/check-json.ts';
import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import { findNearest } from '../base/nearest.ts';
import { isJsonObject } from '../base/path.ts';
import type { Problem } from '../base/problem.ts';
import { checkObject } from '../definition/check-shape.ts';
import type { MappingSource } from '../definition/definition.ts';
import type { Limits } from '../definition/limits.ts';
import { Reporter } from '../definition/reporter.ts';
import { describeJson, toSnakeCase } from '../definition/shape.ts';
import { parseKeys } from '../definition/target.ts';
import { compileExpression } from '../expression/compile.ts';
import { conditionSource } from '../expression/condition.ts';
import type { Expression, ExpressionProblem } from '../expression/expression.ts';
import { compileSchedule } from './schedule.ts';
import type { Filter, ScheduleTrigger, TriggerDefinition } from './trigger.ts';
import { shapeOf, triggerTypes } from './trigger-fields.ts';
import { checkWebhook } from './webhook-fields.ts';

export interface ParsedTrigger {
  readonly problems: readonly Problem[];
  /** Null if there is an error. */
  readonly definition: TriggerDefinition | null;
  /** Null: it does not say. */
  readonly enabled: boolean | null;
}

interface Check {
  readonly limits: Limits;
  readonly reporter: Reporter;
}

/** What expressions of triggers can read. */
export const triggerNames: ReadonlySet<string> = new Set(['event']);

/** TR1: a trigger is checked as a whole before it is stored: every problem at once, each with its place in its JSON. */
export function parseTrigger(source: unknown, { limits }: { limits: Limits }): ParsedTrigger {
  const check: Check = { limits, reporter: new Reporter() };
  const json = readJson(check, source);
  const type = json === undefined ? undefined : readType(check, json);
  if (json === undefined || type === undefined) return refused(check);
  const { draft } = checkObject(check, shapeOf(type), json, { pointer: '', name: 'trigger' });
  const { enabled = null, ...definition } = draft;
  checkTexts(check, draft);
  if (type === 'schedule') checkSchedule(check, draft);
  if (type === 'webhook') checkWebhook(check, draft);
  if (check.reporter.hasErrors) return refused(check);
  // Without errors it has what its shape asks for.
  return {
    problems: check.reporter.problems,
    definition: definition as unknown as TriggerDefinition, // see above
    enabled: enabled as boolean | null, // see above
  };
}

const refused = ({ reporter }: Check): ParsedTrigger => ({
  problems: reporter.problems,
  definition: null,
  enabled: null,
});

function readJson({ limits, reporter }: Check, source: unknown): Json | undefined {
  const { definitionBytesMax, jsonDepthMax } = limits;
  const read = copyToJson(source, {
    bytesMax: definitionBytesMax,
    depthMax: jsonDepthMax,
    limitName: 'definitionBytesMax',
  });
  if (read.ok) return read.value;
  reporter.error(read.code, read.pointer, { message: read.message });
  return undefined;
}

function readType({ reporter }: Check, json: Json): TriggerDefinition['type'] | undefined {
  if (!isJsonObject(json)) {
    reporter.error('WRONG_TYPE', '', { message: `Expected a trigger (an object), but found ${describeJson(json)}` });
    return undefined;
  }
  const written = json['type'];
  const type = triggerTypes.find((known) => typeof written === 'string' && known === toSnakeCase(written));
  if (type !== undefined) return type;
  const nearest = typeof written === 'string' ? findNearest(written, triggerTypes) : undefined;
  reporter.error(written === undefined ? 'MISSING_FIELD' : 'UNKNOWN_VALUE', written === undefined ? '' : '/type', {
    message: `Expected "type" to be ${triggerTypes.map((known) => `"${known}"`).join(' or ')}, but found ${describeJson(written)}`,
    hint: nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
  });
  return undefined;
}

interface Texts {
  readonly filter?: Filter;
  readonly input?: MappingSource;
}

/** TR2: a filter (also as data) and the values of an input mapping are expressions that read `event`, and nothing else. */
function checkTexts(check: Check, draft: Texts): void {
  const { reporter } = check;
  if (draft.filter !== undefined) checkFilter(check, draft.filter, reporter.origins.of(draft, 'filter'));
  const { input = {} } = draft;
  for (const [target, source] of Object.entries(input)) {
    const pointer = reporter.origins.of(input, target);
    const parsed = parseKeys(target);
    if ('problem' in parsed) reporter.error('INVALID_TARGET', pointer, parsed.problem);
    checkExpression(check, source, pointer);
  }
}

function checkFilter(check: Check, filter: Filter, pointer: string): void {
  const made = conditionSource(filter);
  if ('problem' in made) {
    check.reporter.error(made.problem.code, `${pointer}${made.problem.pointer}`, made.problem);
    return;
  }
  const expression = checkExpression(check, made.source, pointer);
  if (expression?.roots.size === 0) checkConstant(check, made.source, pointer);
}

const constantStepsMax = 1_000;

/** A filter that reads nothing gives the same for every event: that must be true or false. */
function checkConstant({ limits, reporter }: Check, source: string, pointer: string): void {
  const few = { ...limits, expressionCostMax: constantStepsMax };
  const compiled = compileExpression(source, { limits: few, names: triggerNames });
  const evaluation = 'expression' in compiled ? compiled.expression.evaluate({}) : null;
  if (evaluation?.type !== 'value' || typeof evaluation.value === 'boolean') return;
  reporter.error('INVALID_CONDITION', pointer, {
    message: `Expected a filter that is true or false, but it is always ${describeJson(evaluation.value)}`,
    hint: 'Compare something: event.payload.total > 0.',
  });
}

function checkExpression({ limits, reporter }: Check, source: string, pointer: string): Expression | null {
  const compiled = compileExpression(source, { limits, names: triggerNames });
  if ('expression' in compiled) return compiled.expression;
  const { problem } = compiled;
  const hint = memberHint(source, problem) ?? problem.hint;
  reporter.error(problem.code, pointer, { ...problem, ...given({ hint }) });
  return null;
}

/** What an event has, of one kind of trigger or another. */
const eventMembers: ReadonlySet<string> = new Set([
  'payload',
  'name',
  'id',
  'correlation',
  'runId',
  'workflow',
  'status',
  'scheduledFor',
  'method',
  'headers',
  'query',
  'body',
  'deliveryId',
]);

/** For a name that is one of the event's members. */
function memberHint(source: string, { code, position = 0 }: ExpressionProblem): string | undefined {
  const [path = ''] = /^[\w.]*\w/.exec(source.slice(position)) ?? [];
  const [name = ''] = path.split('.');
  return code === 'EXPRESSION_UNKNOWN_NAME' && eventMembers.has(name) ? `Write event.${path}.` : undefined;
}

/** TR3: a schedule has a cron pattern that comes due at some time, in a time zone that exists. */
function checkSchedule({ reporter }: Pick<Check, 'reporter'>, draft: Partial<ScheduleTrigger>): void {
  if (draft.cron === undefined) return;
  const compiled = compileSchedule(draft.cron, draft.timeZone ?? 'UTC');
  if ('problem' in compiled) {
    const { field, code, message } = compiled.problem;
    reporter.error(code, reporter.origins.of(draft, field), { message });
    // A zone that is not there must not hide what is wrong with the pattern.
    if (field === 'timeZone') checkSchedule({ reporter }, { ...draft, timeZone: 'UTC' });
  } else if (compiled.schedule.after(0) === null) {
    const message = `Expected a cron pattern that comes due, but ${JSON.stringify(draft.cron)} never does`;
    reporter.error('INVALID_CRON', reporter.origins.of(draft, 'cron'), { message });
  }
}
