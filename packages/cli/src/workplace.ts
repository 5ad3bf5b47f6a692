// Workplace: a place with whoever executes actions there: on a file this process, with the actions and answers that it was
// given; on a server, and in a database, whoever serves it, with its own. For commands that start runs this is the one difference between the two.

import type { RunHandle } from 'heddle/client';
import { CommandError } from './command-error.ts';
import { isDatabase, type Place, type PlaceOptions, placeOf, shownStore, withPlace } from './place.ts';
import { quoted } from './quoted.ts';
import { reportEnding } from './report-ending.ts';
import { type SessionOptions, withSession } from './session.ts';
import { progress } from './terminal.ts';
import { watchRun } from './watch-command.ts';

export interface WorkplaceOptions extends PlaceOptions, Omit<SessionOptions, 'store'> {}

export interface Workplace extends Pick<Place, 'heddle' | 'name'> {
  /** Shows a run until it has ended, or the command has to end; answers with the exit code. */
  show(run: RunHandle): Promise<number>;
  /** Leaves a run to whoever executes it; answers with the next step, as a sentence. */
  leave(run: RunHandle): Promise<string>;
}

type Use = (workplace: Workplace) => Promise<number>;

export function withWorkplace(options: WorkplaceOptions, use: Use): Promise<number> {
  const where = placeOf(options);
  if ('store' in where && !isDatabase(where.store)) return workHere({ ...options, ...where }, use);
  if (options.actions !== undefined || options.answer !== undefined)
    throw forFiles('url' in where ? where.url : shownStore(where.store));
  return withPlace(options, 'change', (place) => use(servedPlace(place, options)));
}

function servedPlace(place: Place, options: WorkplaceOptions): Workplace {
  const { heddle, name, flag } = place;
  return {
    heddle,
    name,
    show(run) {
      if (!options.quiet) progress.line(`Run ${run.id}`);
      return watchRun(place, run, options);
    },
    leave: (run) => Promise.resolve(`Watch it with: npx heddle watch ${run.id} ${flag}`),
  };
}

function workHere(options: SessionOptions & { readonly store: string }, use: Use): Promise<number> {
  const { store } = options;
  return withSession(options, (session) =>
    use({
      heddle: session.heddle,
      name: store,
      show: async (run) => reportEnding(session, await session.follow([run]), { ...options, runIds: [run.id] }),
      async leave(run) {
        await session.close();
        return `Nothing works on ${store} now; resume with: npx heddle resume ${run.id} --store ${quoted(store)}`;
      },
    }),
  );
}

function forFiles(server: string): CommandError {
  const message = `Expected no --actions and no --answer with a server, but ${server} has its own`;
  return new CommandError('OPTION_INVALID', `${message}; leave them out, and answer with npx heddle reply.`);
}
