// Load module: a module of the user's, by its path; also anew, after it was changed.

import { register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandError, memberOf } from './command-error.ts';

export interface Loading {
  /** A module that was loaded with another edition is loaded again, with what it imports from the project. */
  readonly edition?: number;
}

export async function loadModule(
  file: string,
  { what, edition }: Loading & { readonly what: string },
): Promise<Readonly<Record<string, unknown>>> {
  const address = pathToFileURL(path.resolve(file));
  if (edition !== undefined) address.search = `${editionMark}=${edition}`;
  try {
    return (await import(address.href)) as Readonly<Record<string, unknown>>; // a module is an object
  } catch (error) {
    // Who imports it is this command: nothing that its user could mend.
    const cause = (error instanceof Error ? error.message : String(error)).replace(/ imported from \S+chunk\S*/, '');
    const code = memberOf(error, 'code');
    const next =
      code === 'ERR_UNKNOWN_FILE_EXTENSION'
        ? 'this Node runs no TypeScript; compile it first, or use a newer Node'
        : 'check the path and what the module imports';
    throw new CommandError('MODULE_FAILED', `Expected ${what} in ${file}, but: ${cause}; ${next}.`);
  }
}

const editionMark = 'heddle-edition';

/** Node keeps a module by its address: what a module of an edition imports gets that edition too, but for packages. */
const hook = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const [, edition] = /[?&]${editionMark}=(\\d+)/.exec(context.parentURL ?? '') ?? [];
  const isOwn = edition && found.url.startsWith('file:') && !found.url.includes('/node_modules/');
  return isOwn && !found.url.includes('?') ? { ...found, url: found.url + '?${editionMark}=' + edition } : found;
}`;

/** From now on editions reach what modules import. */
export function watchEditions(): void {
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
