// `heddle dev`: serves a folder of definitions and actions, and takes in what is changed there: a definition becomes a new
// version, actions are loaded anew.
//
// Always true: what has errors changes nothing, what was there stays; runs are in a file, so that none is lost when the
// engine is opened again with other actions.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createEngine } from 'heddle';
import { findNearest } from 'heddle/operations';
import type { RunningServer } from 'heddle/server';
import { checkDocument, locate, printProblems } from './check-documents.ts';
import { exitCodes, reportOf } from './command-error.ts';
import { FolderWatch } from './folder-watch.ts';
import { loadActions, missingActions, type NamedActions, namesOf, ownNamesOf } from './load-actions.ts';
import { watchEditions } from './load-module.ts';
import { storeAt } from './place.ts';
import { findFiles, type ProjectFiles, readDefinitions } from './project.ts';
import type { Document } from './read-document.ts';
import { openServer, type ServeOptions, sayWhere, shutDown, untilTold } from './serve-command.ts';
import { count, printable, progress } from './terminal.ts';
import type { ServedWorkflow } from './try-next.ts';

export type DevOptions = Omit<ServeOptions, 'actions' | 'definitions' | 'shards'>;

export async function devCommand(folder: string, options: DevOptions): Promise<number> {
  findFiles(folder); // A folder that is not there is refused before anything is made.
  const ending = untilTold();
  watchEditions();
  const dev = new Dev(folder, options);
  await dev.open();
  await ending;
  await dev.close();
  return exitCodes.done;
}

/** How long tasks that run may take when the engine is opened again. */
const graceMs = 1_000;
const isModule = (file: string): boolean => /\.[mc]?[jt]s$/.test(file);

class Dev {
  readonly #folder: string;
  readonly #options: DevOptions;
  readonly #store: string;
  readonly #watch: FolderWatch;
  /** What each file said when it was last taken in. */
  readonly #taken = new Map<string, string | null>();
  #server: RunningServer | null = null;
  #actions: NamedActions = { actions: {}, executors: {}, nodeTypes: {} };
  #edition = 0;
  #port = 0;

  constructor(folder: string, options: DevOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#store = options.store ?? path.join(folder, '.heddle', 'dev.db');
    this.#watch = new FolderWatch((changed) => this.#reload(changed));
  }

  async open(): Promise<void> {
    if (this.#options.store === undefined) mkdirSync(path.dirname(this.#store), { recursive: true });
    const files = this.#look();
    await this.#loadActions(files);
    this.#server = await openServer(this.#options, { store: await storeAt(this.#store), ...this.#actions });
    this.#port = Number(new URL(this.#server.url).port);
    const workflows = await this.#takeIn(this.#server, files);
    const json = this.#options.json ?? false;
    await sayWhere(this.#server, { store: this.#store, workflows, json });
    progress.line(`Watching ${this.#folder}: ${count(workflows.length, 'workflow')}, ${this.#actionsWord()}.`);
    this.#watch.start();
  }

  async close(): Promise<void> {
    await this.#watch.stop();
    if (this.#server) await shutDown(this.#server);
  }

  #look(): ProjectFiles {
    const files = findFiles(this.#folder);
    this.#watch.setFolders(files.folders);
    return files;
  }

  async #reload(changed: readonly string[]): Promise<void> {
    try {
      const files = this.#look();
      const areNew = changed.some(isModule) && (await this.#loadActions(files));
      // One that could not be opened is tried again.
      if (areNew || this.#server === null) await this.#openAgain();
      if (this.#server) await this.#takeIn(this.#server, files);
    } catch (error) {
      complain(error);
    }
  }

  /** True if they are others than before. */
  async #loadActions({ actions: modules }: ProjectFiles): Promise<boolean> {
    this.#edition++;
    try {
      const actions = await loadActions(modules, { edition: this.#edition });
      // What is wrong with them is told before the engine that works is closed.
      await (await createEngine(actions)).close({ graceMs: 0 });
      this.#actions = actions;
      return true;
    } catch (error) {
      complain(error);
      return false;
    }
  }

  async #openAgain(): Promise<void> {
    const before = this.#server;
    this.#server = null;
    await before?.close({ graceMs });
    // Where whoever uses it has found it.
    const options = { ...this.#options, port: this.#port };
    this.#server = await openServer(options, { store: await storeAt(this.#store), ...this.#actions });
    progress.line(`${progress.paint('green', '✓')} ${this.#actionsWord()} reloaded; runs continue`);
  }

  #actionsWord(): string {
    return count(ownNamesOf(this.#actions).length, 'action');
  }

  async #takeIn(server: RunningServer, { definitions }: ProjectFiles): Promise<ServedWorkflow[]> {
    const workflows: ServedWorkflow[] = [];
    for (const document of await readDefinitions(definitions, { edition: this.#edition })) {
      const { file } = document;
      const said = document.text ?? JSON.stringify(document.value) ?? null;
      if (this.#taken.get(file) === said) continue;
      this.#taken.set(file, said);
      const workflow = await register(server, document);
      if (workflow) workflows.push(workflow);
      if (workflow) sayMissing(document, this.#actions);
    }
    return workflows;
  }
}

async function register({ engine }: RunningServer, document: Document): Promise<ServedWorkflow | null> {
  const { file, value, problem } = document;
  const registered = problem ? null : await engine.register(value);
  printProblems(progress, file, problem ? [problem] : locate(document, registered?.problems ?? []));
  const { id = null, version = null, isNew = false } = registered ?? {};
  if (id === null || version === null) {
    progress.line(`${progress.paint('red', '✗')} ${file}: nothing changed; the registered version stays in use`);
    return null;
  }
  const word = isNew ? 'registered' : 'is there already';
  progress.line(`${progress.paint('green', '✓')} ${file}: ${id} v${version} ${word}`);
  return { id, version, definition: value };
}

/** Not wrong, but worth a line: a worker may have them, or they are mistyped. */
function sayMissing(document: Document, actions: NamedActions): void {
  const { token } = checkDocument(document, actions);
  for (const name of token ? missingActions(token, actions) : []) {
    const nearest = findNearest(name, namesOf(actions));
    const guess = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    progress.line(
      `${progress.paint('yellow', '!')} ${document.file}: the action "${printable(name)}" is not available here; its tasks wait for a worker.${guess}`,
    );
  }
}

function complain(error: unknown): void {
  const { code, message } = reportOf(error);
  progress.line(`${progress.paint('red', '✗')} ${code}: ${printable(message)} The loaded actions stay in use.`);
}
