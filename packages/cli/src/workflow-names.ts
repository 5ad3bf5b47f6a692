// Workflow names: what somebody who named a workflow that is not there probably meant.

import type { Heddle } from 'heddle/client';
import { findNearest } from 'heddle/operations';
import { CommandError, reportOf } from './command-error.ts';
import { printable } from './terminal.ts';

type Named = { readonly heddle: Pick<Heddle, 'definitions'>; readonly name: string };

/** Looked through at most, for a guess. */
const pagesMax = 10;
const pageSize = 1_000;
const namesShownMax = 10;

async function listNames({ heddle }: Named): Promise<readonly string[]> {
  const names = new Set<string>();
  let after: string | undefined;
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await heddle.definitions({ limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (const { id } of page) names.add(id);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    after = `${last.id}@${last.version}`;
  }
  return [...names];
}

/** `did you mean "echo"?`, or the names that there are; null if the workflow is there, or that cannot be known. */
async function guess(place: Named, workflow: string): Promise<string | null> {
  // A key that may not look at workflows gets no guess; what went wrong before is told as it was.
  const names = await listNames(place).catch(() => null);
  if (names === null || names.includes(workflow)) return null;
  const nearest = findNearest(workflow, names);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  if (names.length === 0) return 'there are no workflows yet; name a file with a definition to register it.';
  const more = names.length - namesShownMax;
  return `registered are ${names.slice(0, namesShownMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** The same error with a guess, if it is about a workflow that is not there; anything else as it was. */
export async function withGuess(error: unknown, place: Named, workflow: string): Promise<unknown> {
  const { code } = reportOf(error);
  const guessed = code === 'WORKFLOW_NOT_FOUND' ? await guess(place, workflow) : null;
  if (guessed === null) return error;
  const message = `Expected workflow ${printable(workflow)} to be registered in ${place.name}, but it is not`;
  return new CommandError(code, `${message}; ${guessed}`);
}

/** For lists that came out empty: a sentence if that is because there is no such workflow. */
export async function explainMissing(place: Named, workflow: string | undefined): Promise<string | null> {
  const guessed = workflow === undefined ? null : await guess(place, workflow);
  return guessed === null ? null : `There is no workflow ${printable(workflow ?? '')} in ${place.name}; ${guessed}`;
}
