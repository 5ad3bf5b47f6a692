// Answerable: which prompts can be answered together, and whether one still can. Pure.

import type { Json, Prompt } from 'heddle';
import { labelOf } from '../forms/field-of.ts';

/** Those that ask for the same shape of answer as the first that is selected; all, while none is. */
export function answerableTogether(prompts: readonly Prompt[], selected: ReadonlySet<string>): ReadonlySet<string> {
  const first = prompts.find(({ correlationId }) => selected.has(correlationId));
  const fits = first === undefined ? prompts : prompts.filter(({ schema }) => sameJson(schema, first.schema));
  return new Set(fits.map(({ correlationId }) => correlationId));
}

const sameJson = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);

/** How an answer can no longer be given: its time is over, or somebody was faster; null while it can. */
export function lateness(
  { correlationId, deadline }: Pick<Prompt, 'correlationId' | 'deadline'>,
  open: readonly Prompt[] | undefined,
  now: number,
): 'expired' | 'closed' | null {
  if (deadline !== null && now >= deadline) return 'expired';
  const isGone = open !== undefined && !open.some((prompt) => prompt.correlationId === correlationId);
  return isGone ? 'closed' : null;
}

/** The members of what a prompt is about, if people can read them as a list: texts, numbers, yes and no. */
export function plainMembers(item: Json): readonly (readonly [string, string])[] | null {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return null;
  const members = Object.entries(item);
  const isPlain = members.length > 0 && members.every(([, value]) => value === null || typeof value !== 'object');
  return isPlain ? members.map(([name, value]) => [name, value === null ? 'none' : labelOf(value)]) : null;
}

/** In a line. */
export function itemText(item: Json): string {
  const members = plainMembers(item);
  const text =
    members === null
      ? typeof item === 'string'
        ? item
        : JSON.stringify(item)
      : members.map(([name, value]) => `${name}: ${value}`).join(', ');
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}

/** What a prompt is called: its title, or where it stands. */
export const nameOf = ({ title, nodeId }: Pick<Prompt, 'title' | 'nodeId'>): string => title ?? nodeId;
