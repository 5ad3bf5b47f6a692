// Compile trigger: a stored trigger, made ready to fire.

import { assert } from '../base/assert.ts';
import type { MappingEntry } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import { compileCheck } from '../definition/schema.ts';
import { parseKeys } from '../definition/target.ts';
import { compileExpression } from '../expression/compile.ts';
import { conditionSource } from '../expression/condition.ts';
import type { Expression } from '../expression/expression.ts';
import { triggerNames } from './parse-trigger.ts';
import { compileSchedule, type Schedule } from './schedule.ts';
import type { Filter, StoredTrigger, Trigger, TriggerDefinition } from './trigger.ts';

export function compileTrigger(stored: StoredTrigger, limits: Limits): Trigger {
  const { definition } = stored;
  const filter = 'filter' in definition ? definition.filter : undefined;
  return {
    ...stored,
    filter: filter === undefined ? null : compileFilter(filter, limits),
    input:
      definition.input === undefined
        ? null
        : Object.entries(definition.input).map(([target, source]): MappingEntry => {
            const parsed = parseKeys(target);
            assert('path' in parsed, `Expected a checked target, but found "${target}"`);
            return { target, path: parsed.path, expression: compile(source, limits) };
          }),
    schedule: scheduleOf(definition),
    checkBody: compileCheck(definition.type === 'webhook' ? definition.schema : undefined),
  };
}

function compileFilter(filter: Filter, limits: Limits): Expression {
  const made = conditionSource(filter);
  assert('source' in made, `Expected a checked filter, but found ${JSON.stringify(filter)}`);
  return compile(made.source, limits);
}

function compile(source: string, limits: Limits): Expression {
  const compiled = compileExpression(source, { limits, names: triggerNames });
  assert('expression' in compiled, `Expected a checked expression, but "${source}" cannot be compiled`);
  return compiled.expression;
}

function scheduleOf(definition: TriggerDefinition): Schedule | null {
  if (definition.type !== 'schedule') return null;
  const { cron, timeZone = 'UTC' } = definition;
  const compiled = compileSchedule(cron, timeZone);
  assert('schedule' in compiled, `Expected a checked schedule, but "${cron}" in "${timeZone}" cannot be compiled`);
  return compiled.schedule;
}
