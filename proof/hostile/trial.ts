// Trial: one hostile input and what must come of it. Each kind of trial makes its own from dice.
//
// Always true: a trial is a function of its dice.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';

export interface Trial {
  /** For people: what was handed in. */
  readonly input: () => string;
  /** Null, or what is wrong with how the engine took it. */
  readonly check: () => string | null | Promise<string | null>;
}

export type MakeTrial = (dice: Dice) => Trial | Promise<Trial>;

/** Anything as a text of bounded length, whatever its members do. */
export function show(value: unknown, lengthMax = 3_000): string {
  const text = render(value, 0);
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}… (${text.length} characters)`;
}

const shownMax = 400;
const depthMax = 30;

function render(value: unknown, depth: number): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > shownMax ? `${value.slice(0, shownMax)}…` : value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > depthMax) return '…';
  try {
    return renderObject(value, depth);
  } catch {
    return '<an object that cannot be read>';
  }
}

function renderObject(value: object, depth: number): string {
  if (Array.isArray(value))
    return `[${value
      .slice(0, 50)
      .map((member) => render(member, depth + 1))
      .join(',')}]`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return `<${Object.prototype.toString.call(value)}>`;
  const members = Object.entries(Object.getOwnPropertyDescriptors(value)).slice(0, 100);
  const texts = members.map(([key, member]) => {
    return `${JSON.stringify(key.slice(0, 80))}:${'value' in member ? render(member.value, depth + 1) : '<getter>'}`;
  });
  return `{${texts.join(',')}}`;
}

/** What an error is, for a report. */
export function describeError(error: unknown): string {
  if (error instanceof Error)
    return `${error.name} ${(error as { code?: string }).code ?? ''}: ${error.message.slice(0, 500)}`;
  return show(error, 500);
}
