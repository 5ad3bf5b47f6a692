// Migrate: settings of an older version of a node type become those of the newest, step by step. Rule CT5.

import type { Json, JsonObject } from '../../base/json.ts';
import { defaultLimits, type Limits } from '../../definition/limits.ts';
import { compileExpression } from '../../expression/compile.ts';
import type { NodeTypeFacts, SettingsMigration } from './entry.ts';

const names: ReadonlySet<string> = new Set(['settings']);

export type Migrated = { readonly settings: JsonObject } | { readonly problem: string };

/** CT5: each step gives the settings that it names; the others stay. What an expression reads and is not there is left out. */
export function migrateSettings(
  { version = 1, migrations = {} }: NodeTypeFacts,
  { typeVersion = version, settings }: { readonly typeVersion?: number | undefined; readonly settings: JsonObject },
  limits: Limits = defaultLimits,
): Migrated {
  let current = settings;
  for (let from = typeVersion; from < version; from++) {
    const next = takeStep(migrations[String(from)] ?? {}, current, limits);
    if ('problem' in next) return { problem: `${next.problem}, in the migration of version ${from}` };
    current = next.settings;
  }
  return { settings: current };
}

function takeStep(step: SettingsMigration, settings: JsonObject, limits: Limits): Migrated {
  const next = new Map<string, Json>(Object.entries(settings).filter(([key]) => !Object.hasOwn(step, key)));
  for (const [key, source] of Object.entries(step)) {
    if (source === null) continue;
    const compiled = compileExpression(source, { limits, names });
    if ('problem' in compiled) return { problem: compiled.problem.message };
    const evaluated = compiled.expression.evaluate({ settings });
    if (evaluated.type === 'error') return { problem: evaluated.message };
    if (evaluated.type === 'value') next.set(key, evaluated.value);
  }
  return { settings: Object.fromEntries(next) };
}

/** What is wrong with the migrations of a type; null if nothing is. */
export function findMigrationProblem({ migrations = {}, version = 1 }: NodeTypeFacts, limits: Limits): string | null {
  for (const [from, step] of Object.entries(migrations)) {
    if (!/^[1-9]\d{0,8}$/.test(from) || Number(from) >= version)
      return `Expected migrations by the version that they begin at, below ${version}, but found "${from.slice(0, 40)}"`;
    for (const [key, source] of Object.entries(step)) {
      if (source === null) continue;
      const what = `the migration of "${key.slice(0, 40)}" from version ${from}`;
      if (typeof source !== 'string') return `Expected ${what} to be an expression or null`;
      const compiled = compileExpression(source, { limits, names });
      if ('problem' in compiled) return `In ${what}: ${compiled.problem.message}`;
    }
  }
  return null;
}
