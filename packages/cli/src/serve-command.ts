// `heddle serve`: an engine over HTTP on this machine, until it is told to end: then tasks that run finish, and
// everything is stored. A second signal leaves at once.

import { existsSync, readFileSync } from 'node:fs';
import type { ServeOptions as HowToServe, RunningServer, ServedStore } from 'heddle/server';
import { locate, printProblems } from './check-documents.ts';
import { CommandError, exitCodes } from './command-error.ts';
import { loadActions } from './load-actions.ts';
import { databaseAt, fleetAt, isDatabase, openFile, shownStore, storeAt, storeOf } from './place.ts';
import { findFiles, readDefinitions } from './project.ts';
import { quoted } from './quoted.ts';
import type { Document } from './read-document.ts';
import { output, progress } from './terminal.ts';
import { type ServedWorkflow, tryNext } from './try-next.ts';

export interface ServeOptions {
  readonly store?: string;
  /** Makes a fleet of so many, or is what the fleet in the folder or the database has. */
  readonly shards?: number;
  readonly host?: string;
  readonly port?: number;
  readonly actions?: readonly string[];
  readonly definitions?: readonly string[];
  readonly origin?: readonly string[];
  /** `X-Forwarded-Proto` is believed. */
  readonly behindProxy?: boolean;
  readonly rate?: number;
  /** A file with the keys of other stores whose snapshots are restored here. */
  readonly trustSnapshots?: string;
  /** Where requests of workflows may go though it is not public. */
  readonly allowPrivate?: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly json?: boolean;
}

export async function serveCommand(options: ServeOptions): Promise<number> {
  const store = shownStore(storeOf(options));
  const at = await servedStore(options);
  const documents = await readAll(options.definitions ?? []);
  const actions = await loadActions(options.actions);
  const server = await openServer(options, { store: at, ...actions, ...trustedKeys(options) });
  const ending = untilTold();
  try {
    const workflows = await registerAll(server, documents);
    await sayWhere(server, { store, workflows, json: options.json ?? false });
  } catch (error) {
    await server.close({ graceMs: 0 });
    throw error;
  }
  await ending;
  await shutDown(server);
  return exitCodes.done;
}

/** In one that was not named nothing is made but a file. */
async function servedStore(options: ServeOptions): Promise<ServedStore> {
  const { store = process.env['HEDDLE_STORE'] || undefined, shards } = options;
  if (store !== undefined && isDatabase(store)) return databaseAt(store, shards === undefined ? {} : { shards });
  return shards === undefined ? storeAt(storeOf(options)) : fleetAt(store, shards);
}

/** Opens the stores and listens. */
export async function openServer(options: ServeOptions, served: HowToServe): Promise<RunningServer> {
  const { serve, jsonLog } = await import('heddle/server');
  const { host, port, origin: origins, behindProxy, rate, allowPrivate } = options;
  const { store = storeOf({}) } = served;
  const name = typeof store === 'string' ? store : 'folder' in store ? store.folder : store.name;
  return openFile(name, () =>
    serve({
      ...served,
      log: jsonLog(options.logLevel, (line) => progress.write(line)),
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
      ...(origins === undefined ? {} : { origins }),
      ...(behindProxy === undefined ? {} : { behindProxy }),
      ...(allowPrivate === undefined ? {} : { http: { allowPrivate } }),
      // Whoever was quiet for a second may make up for it.
      ...(rate === undefined ? {} : { rate: { perSecond: rate, burst: 2 * rate } }),
    }),
  );
}

function trustedKeys({ trustSnapshots: file }: ServeOptions): Pick<HowToServe, 'trustedSnapshotKeys'> {
  if (file === undefined) return {};
  if (!existsSync(file))
    throw new CommandError(
      'FILE_UNREADABLE',
      `Expected a file with snapshot keys at ${file}, but there is none. Write one with: npx heddle db snapshot-key --store OTHER.db > ${quoted(file)}`,
    );
  const lines = readFileSync(file, 'utf8').split('\n');
  return { trustedSnapshotKeys: lines.map((line) => line.trim()).filter((line) => line !== '') };
}

async function readAll(folders: readonly string[]): Promise<readonly Document[]> {
  const documents: Document[] = [];
  for (const folder of folders) documents.push(...(await readDefinitions(findFiles(folder).definitions)));
  return documents;
}

/** Nothing is served where a definition has errors: whoever started it should know. */
async function registerAll({ engine }: RunningServer, documents: readonly Document[]): Promise<ServedWorkflow[]> {
  const workflows: ServedWorkflow[] = [];
  let refused = 0;
  for (const document of documents) {
    const { value, file, problem } = document;
    const registered = problem ? null : await engine.register(value);
    printProblems(progress, file, problem ? [problem] : locate(document, registered?.problems ?? []));
    const { id = null, version = null } = registered ?? {};
    if (id !== null && version !== null) workflows.push({ id, version, definition: value });
    else refused++;
  }
  if (refused === 0) return workflows;
  const message = `Expected valid definitions, but ${refused} of ${documents.length} ${refused === 1 ? 'is' : 'are'} not`;
  throw new CommandError('DEFINITION_INVALID', `${message}; fix the problems above. Nothing is served.`);
}

export async function sayWhere(
  server: RunningServer,
  { store, workflows, json }: { store: string; workflows: readonly ServedWorkflow[]; json: boolean },
): Promise<void> {
  const { url } = server;
  if (json)
    return output.line(
      JSON.stringify({ url, store, workflows: workflows.map(({ id, version }) => ({ id, version })) }),
    );
  const { paint } = output;
  output.line(
    `${paint('bold', 'Heddle')} serves ${store} at ${paint('cyan', url)}: open it in a browser. The API is described at ${url}/docs`,
  );
  if (workflows.length > 0)
    output.line(`Workflows: ${workflows.map(({ id, version }) => `${id} v${version}`).join(', ')}`);
  output.line();
  output.line(paint('bold', 'Try next'));
  for (const line of tryNext(url, workflows, !(await server.keys.isEmpty()))) output.line(`  ${line}`);
  output.line();
  output.line(paint('dim', 'Ctrl-C lets running work finish and stops the server.'));
}

/** When the process is told to end; told once more, it leaves at once. */
export function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    let isTold = false;
    const end = (): void => {
      if (isTold) process.exit(exitCodes.notCompleted);
      isTold = true;
      resolve();
    };
    process.on('SIGINT', end).on('SIGTERM', end);
  });
}

export async function shutDown(server: RunningServer): Promise<void> {
  progress.line(
    'Shutting down: running work may finish. Press Ctrl-C again to stop at once; nothing is lost either way.',
  );
  await server.close();
  progress.line('Everything is stored.');
}
