// Session: an engine that a command has opened, what it shows of its runs, and how it ends: by itself, by Ctrl-C, or
// because an action is missing.
//
// Always true: a step whose action this command was not given is left alone, not failed: it waits for a command that has
// it. A run that is interrupted stays in its store as it is.

import { createEngine, type Engine, type Run, type RunResult } from '../index.ts';
import { loadActions, type NamedActions } from './load-actions.ts';
import { hideProgress, type Progress, showProgress } from './progress.ts';
import { RunFeed } from './run-feed.ts';
import { progress as terminal } from './terminal.ts';

export interface SessionOptions {
  readonly store?: string;
  readonly actions?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export type Ending =
  | { readonly type: 'ended'; readonly results: readonly RunResult[] }
  | { readonly type: 'interrupted' }
  | { readonly type: 'missing action'; readonly action: string; readonly runId: string };

/** How long actions that are under way may take when the command is told to end. */
const graceMs = 2_000;

export class Session {
  readonly progress: Progress;
  readonly #feed: RunFeed;
  readonly #missing = new Map<string, { readonly action: string; readonly runId: string }>();
  #engine: Engine | null = null;
  /** The runs that the command waits for. */
  #awaited: ReadonlySet<string> = new Set();
  #end: (ending: Ending) => void = () => undefined;

  static async open(options: SessionOptions, actions?: NamedActions): Promise<Session> {
    const session = new Session(options);
    const given = actions ?? (await loadActions(options.actions));
    session.#engine = await createEngine({
      store: options.store ?? 'memory',
      actions: given,
      loadAction: (action) => ({ run: ({ runId, signal }) => session.#wait(action, runId, signal) }),
      onEvent: (event) => session.#feed.take(event),
      onError: (error, { runId }) => session.progress.say(`Run ${runId} has a problem: ${error.message}`),
    });
    return session;
  }

  private constructor({ quiet = false }: SessionOptions) {
    this.progress = quiet ? hideProgress(terminal) : showProgress(terminal);
    this.#feed = new RunFeed((event) => this.progress.add(event));
  }

  get engine(): Engine {
    if (!this.#engine) throw new Error('Expected an open engine, but the session has not opened it');
    return this.#engine;
  }

  /** Shows the runs until they have ended, or the command has to. */
  async follow(runs: readonly Run[]): Promise<Ending> {
    const ending = new Promise<Ending>((resolve) => {
      this.#end = resolve;
    });
    this.#awaited = new Set(runs.map(({ id }) => id));
    const interrupt = () => this.#end({ type: 'interrupted' });
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    for (const { action, runId } of this.#missing.values()) this.#endIfAwaited(action, runId);
    for (const run of runs) await this.#feed.follow(this.engine, run.id);
    const results = Promise.all(runs.map((run) => run.result()));
    try {
      return await Promise.race([ending, results.then((all): Ending => ({ type: 'ended', results: all }))]);
    } finally {
      process.removeListener('SIGINT', interrupt).removeListener('SIGTERM', interrupt);
      this.progress.stop();
    }
  }

  /** A second Ctrl-C does not wait. */
  async close(): Promise<void> {
    const leave = () => process.exit(130);
    process.once('SIGINT', leave).once('SIGTERM', leave);
    // Steps that only wait for a command with their action need no time to finish.
    await this.engine.close({ graceMs: this.#missing.size > 0 ? 0 : graceMs });
    process.removeListener('SIGINT', leave).removeListener('SIGTERM', leave);
  }

  /** Stands in for an action that this command does not have, until the engine closes. */
  async #wait(action: string, runId: string, signal: AbortSignal): Promise<never> {
    const { rootRunId } = await this.engine.run(runId).summary();
    if (!this.#missing.has(action) && !this.#awaited.has(rootRunId) && this.#awaited.size > 0) {
      this.progress.say(`Run ${rootRunId} needs action "${action}", which was not given; it is left as it is.`);
    }
    this.#missing.set(action, { action, runId: rootRunId });
    this.#endIfAwaited(action, rootRunId);
    return new Promise((_, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }

  #endIfAwaited(action: string, runId: string): void {
    if (this.#awaited.has(runId)) this.#end({ type: 'missing action', action, runId });
  }
}
