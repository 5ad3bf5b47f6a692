// Definition trial: a sound definition, damaged at one place or at several, is refused at exactly those places, and nothing
// else comes of it. Rules DF1 to DF4, DF42 and DF56; TR1.

import type { Problem } from '../../../packages/heddle/src/base/problem.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { createTestEngine, type TestEngine } from '../../../packages/heddle/src/testing/test-engine.ts';
import { show, type Trial } from '../trial.ts';
import { drawSound, type Sound } from './corpus.ts';
import type { Damage } from './damage.ts';
import { drawDamage } from './damages.ts';
import { tables } from './dialect-tables.ts';
import { drawSite, partOf, pointerOf } from './sites.ts';

let opened: Promise<TestEngine> | null = null;
const open = (): Promise<TestEngine> => (opened ??= createTestEngine({ scripted: ['work'] }));

export async function makeDefinitionTrial(dice: Dice): Promise<Trial> {
  const engine = await open();
  const sound = drawSound(dice);
  const damages = drawDamages(sound, dice);
  const source = damages.reduce<unknown>((root, { apply }) => apply(root), sound.source);
  return {
    input: () => `${sound.dialect}, damaged: ${describeDamages(damages)}\n${show(source)}`,
    check: () => check({ engine, sound, damages, source, isStored: dice.chance(1, 20) }),
  };
}

const describeDamages = (damages: readonly Damage[]): string =>
  damages.map(({ what, path }) => `${pointerOf(path)}: ${what}`).join('; ') || 'nothing';

/** Most often one; where there are several, none is inside another, and each is still told of. */
function drawDamages({ dialect, source }: Sound, dice: Dice): readonly Damage[] {
  const wanted = dice.chance(1, 4) ? dice.between(2, 4) : 1;
  const damages: Damage[] = [];
  for (let tries = 0; damages.length < wanted && tries < 60; tries++) {
    const drawn = drawDamage(drawSite(tables[dialect], source, dice), dice);
    if (drawn !== null && (damages.length === 0 || fitsBeside(drawn, damages))) damages.push(drawn);
  }
  return damages;
}

function fitsBeside(drawn: Damage, others: readonly Damage[]): boolean {
  const alone = (one: Damage): boolean => one.level === 'alone' || one.path.length < 2;
  if (alone(drawn) || others.some(alone)) return false;
  return others.every((other) => partOf(other.path) !== partOf(drawn.path) || areBothShapes(drawn, other));
}

function areBothShapes(left: Damage, right: Damage): boolean {
  const [a, b] = [pointerOf(left.path), pointerOf(right.path)];
  const isInside = `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
  return left.level === 'shape' && right.level === 'shape' && !isInside;
}

interface Case {
  readonly engine: TestEngine;
  readonly sound: Sound;
  readonly damages: readonly Damage[];
  readonly source: unknown;
  readonly isStored: boolean;
}

async function check({ engine, sound, damages, source, isStored }: Case): Promise<string | null> {
  const problems = await read(engine, sound, source);
  const misshapen = problems.map(checkProblem).find((found) => found !== null) ?? findTwins(problems);
  if (misshapen) return misshapen;
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (damages.length === 0) return errors.length === 0 ? null : `Refused a sound definition: ${list(errors)}`;
  for (const damage of damages) {
    const isTold = problems.some(
      ({ pointer, code, severity }) =>
        pointer === damage.pointer && severity === damage.severity && damage.codes.includes(code),
    );
    if (!isTold)
      return `Expected ${damage.codes.join(' or ')} at ${damage.pointer || 'the top'}, but found: ${list(problems)}`;
  }
  return isStored && sound.dialect !== 'trigger' ? checkNothingStored(engine, source, errors) : null;
}

async function read({ engine }: TestEngine, { dialect }: Sound, source: unknown): Promise<readonly Problem[]> {
  if (dialect !== 'trigger') return engine.validate(source);
  const { problems, trigger } = await engine.triggers.create(source);
  if (trigger !== null) await engine.triggers.remove(trigger.id);
  return problems;
}

function checkProblem({ code, message, pointer, severity, hint = '' }: Problem): string | null {
  const isRight =
    /^[A-Z][A-Z_]+$/.test(code) &&
    /^Expected .+(?:, but |; )/s.test(message) &&
    message.length < 2_000 &&
    !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(`${message}${hint}`) &&
    (pointer === '' || pointer.startsWith('/')) &&
    (severity === 'error' || severity === 'warning');
  return isRight
    ? null
    : `Expected a problem in the form of a problem, but found ${code} ${pointer}: ${message.slice(0, 3_000)}`;
}

/** One thing that is wrong is told once. */
function findTwins(problems: readonly Problem[]): string | null {
  const seen = new Set<string>();
  for (const { code, pointer, message } of problems) {
    const key = `${code} ${pointer}`;
    if (seen.has(key) && !several.has(code)) return `Expected each problem once, but found ${key} twice: ${message}`;
    seen.add(key);
  }
  return null;
}

/** One place may lack, or be reached by, several things. */
const several: ReadonlySet<string> = new Set(['MISSING_FIELD', 'MISSING_INPUT', 'UNKNOWN_VALUE', 'DUPLICATE_FIELD']);

async function checkNothingStored(
  { engine }: TestEngine,
  source: unknown,
  errors: readonly Problem[],
): Promise<string | null> {
  if (errors.length === 0) return null;
  const before = await engine.definitions();
  const { problems, version, id, hash, isNew } = await engine.register(source as never); // whatever it is
  const told = problems.filter(({ severity }) => severity === 'error');
  if (list(told) !== list(errors)) return `Expected register to say what validate says, but it says: ${list(problems)}`;
  const isRefused = version === null && id === null && hash === null && !isNew;
  if (!isRefused || (await engine.definitions()).length !== before.length) return 'Stored a definition that it refused';
  return null;
}

const list = (problems: readonly Problem[]): string =>
  problems.map(({ code, pointer, message }) => `\n  ${code} ${pointer || 'top'} (${message.slice(0, 160)})`).join('') ||
  'no problem';
