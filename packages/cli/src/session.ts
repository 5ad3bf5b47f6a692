// Session: an engine that a command has opened, what it shows of its runs, and how it ends: by itself, by Ctrl-C, because
// an action is missing, or because only people or events from outside can wake its runs.
//
// Always true: a step whose action this command was not given is left alone, not failed: it waits for a command that has
// it. A run that is interrupted stays in its store as it is.

import { ActionError, createEngine, type Engine, isTerminal, type RunEvent, type RunResult } from 'heddle';
import type { Heddle, RunHandle } from 'heddle/client';
import { AnswerRefused, Answers } from './answers.ts';
import { loadActions, type NamedActions } from './load-actions.ts';
import { openFile, storeAt } from './place.ts';
import { hideProgress, type Progress, showProgress } from './progress.ts';
import { RunFeed } from './run-feed.ts';
import { progress as terminal } from './terminal.ts';

export interface SessionOptions {
  readonly store?: string;
  readonly actions?: string;
  /** For the prompts of the run that the command waits for, in the order in which they are asked. */
  readonly answer?: readonly string[];
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export type Ending =
  | { readonly type: 'ended'; readonly results: readonly RunResult[] }
  | { readonly type: 'interrupted' }
  | { readonly type: 'missing action'; readonly action: string; readonly runId: string }
  | { readonly type: 'suspended' }
  | { readonly type: 'answer refused'; readonly refusal: AnswerRefused };

/** What the session has to run nodes with. */
interface SessionActions extends NamedActions {
  /** Names that nobody has and that are no reason to wait: their nodes fail. */
  readonly unknown?: readonly string[];
}

/** How long actions that run may take when the command is told to end. */
const graceMs = 2_000;

/** Whoever uses it closes it in the end, by `reportEnding` or itself; if something goes wrong, it is closed here. */
export async function withSession<T>(
  options: SessionOptions,
  use: (session: Session) => Promise<T>,
  given?: SessionActions,
): Promise<T> {
  const session = await Session.open(options, given);
  try {
    return await use(session);
  } catch (error) {
    session.progress.stop();
    await session.close();
    throw error;
  }
}

export class Session {
  readonly progress: Progress;
  readonly #feed: RunFeed;
  readonly #answers: Answers;
  readonly #missing = new Map<string, { readonly action: string; readonly runId: string }>();
  #engine: Engine | null = null;
  /** The runs that the command waits for, and those of them that have not ended. */
  #awaited: ReadonlySet<string> = new Set();
  #open: readonly RunHandle[] = [];
  #end: (ending: Ending) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;
  /** The last of the looks at what the runs wait for: one at a time, and never two that have not begun. */
  #looking: Promise<void> = Promise.resolve();
  #isLookDue = false;

  static async open(options: SessionOptions, given?: SessionActions): Promise<Session> {
    const session = new Session(options);
    const { unknown = [], ...actions }: SessionActions = given ?? (await loadActions(options.actions));
    const { store = 'memory' } = options;
    const at = await storeAt(store);
    session.#engine = await openFile(store, () =>
      createEngine({
        ...actions,
        store: at,
        loadAction: (action) => ({
          run: ({ runId, signal }) =>
            unknown.includes(action) ? refuse(action) : session.#wait(action, runId, signal),
        }),
        onEvent: (event) => session.#feed.take(event),
        onProgress: (told) => session.progress.tell(told),
        onError: (error, { runId, triggerId }) => {
          const who = runId ? `Run ${runId}` : triggerId ? `Trigger ${triggerId}` : 'The engine';
          session.progress.say(`${who} has a problem: ${error.message}`);
        },
      }),
    );
    return session;
  }

  private constructor({ quiet = false, answer }: SessionOptions) {
    this.#answers = new Answers(answer);
    this.progress = quiet ? hideProgress(terminal) : showProgress(terminal);
    this.#feed = new RunFeed((event) => this.#see(event));
  }

  get heddle(): Heddle {
    return this.#local;
  }

  /** For what only the engine of this process can say. */
  get #local(): Engine {
    if (!this.#engine) throw new Error('Expected an open engine, but the session has not opened it');
    return this.#engine;
  }

  /** How many answers nobody has asked for. */
  get answersLeft(): number {
    return this.#answers.left;
  }

  /** Shows the runs until they have ended, or the command has to. */
  async follow(runs: readonly RunHandle[]): Promise<Ending> {
    const ending = new Promise<Ending>((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    this.#awaited = new Set(runs.map(({ id }) => id));
    const interrupt = () => this.#end({ type: 'interrupted' });
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    for (const { action, runId } of this.#missing.values()) this.#endIfAwaited(action, runId);
    for (const run of runs) await this.#feed.follow(this.heddle, run.id);
    this.#open = runs;
    this.#look();
    const results = Promise.all(runs.map((run) => run.result()));
    try {
      const how = await Promise.race([ending, results.then((all): Ending => ({ type: 'ended', results: all }))]);
      if (how.type === 'ended' || how.type === 'suspended') await this.#feed.whenCaughtUp();
      return how;
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
    await this.#local.close({ graceMs: this.#missing.size > 0 ? 0 : graceMs });
    process.removeListener('SIGINT', leave).removeListener('SIGTERM', leave);
  }

  #see(event: RunEvent): void {
    this.progress.add(event);
    this.#answers.see(event);
    const isAsked = event.type === 'input.requested' && this.#answers.left > 0;
    if (isAsked || (event.type.startsWith('workflow.') && this.#awaited.has(event.runId))) this.#look();
  }

  #look(): void {
    if (this.#isLookDue || this.#open.length === 0) return;
    this.#isLookDue = true;
    this.#looking = this.#looking.then(async () => {
      this.#isLookDue = false;
      await this.#answerOrEnd().catch((error: unknown) => this.#fail(error));
    });
  }

  /** Answers what is asked; ends the command when only people or events from outside can wake its runs. */
  async #answerOrEnd(): Promise<void> {
    try {
      do {
        await this.#giveAnswers();
        if (!(await this.#areAllSuspended())) return;
        // What was asked meanwhile is answered too.
      } while (await this.#giveAnswers());
      this.#end({ type: 'suspended' });
    } catch (error) {
      if (!(error instanceof AnswerRefused)) throw error;
      this.#end({ type: 'answer refused', refusal: error });
    }
  }

  /** True if any was given. */
  async #giveAnswers(): Promise<boolean> {
    const { left } = this.#answers;
    if (left === 0) return false;
    // Who asked first is known when all that was told is read.
    await this.#feed.whenCaughtUp();
    for (const run of this.#open) await this.#answers.give(run);
    return this.#answers.left < left;
  }

  async #areAllSuspended(): Promise<boolean> {
    // What a sub-run has just told its caller counts.
    await this.#local.whenIdle();
    const summaries = await Promise.all(this.#open.map((run) => run.summary()));
    const open = summaries.filter(({ status, quarantine }) => !isTerminal(status) && quarantine === null);
    this.#open = open.map(({ runId }) => this.heddle.run(runId));
    return open.length > 0 && open.every(({ status }) => status === 'suspended');
  }

  /** Stands in for an action that this command does not have, until the engine closes. */
  async #wait(action: string, runId: string, signal: AbortSignal): Promise<never> {
    const { rootRunId } = await this.heddle.run(runId).summary();
    if (!this.#missing.has(action) && !this.#awaited.has(rootRunId) && this.#awaited.size > 0) {
      this.progress.say(`Run ${rootRunId} needs action "${action}", which was not given; the run stays as it is.`);
    }
    this.#missing.set(action, { action, runId: rootRunId });
    this.#endIfAwaited(action, rootRunId);
    return new Promise((_, reject) => {
      const stop = () => reject(signal.reason as Error); // the engine aborts with errors
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }

  #endIfAwaited(action: string, runId: string): void {
    if (this.#awaited.has(runId)) this.#end({ type: 'missing action', action, runId });
  }
}

function refuse(action: string): never {
  const message = `Expected a node type named "${action}", but there is none`;
  throw new ActionError(message, { code: 'ACTION_NOT_FOUND', retryable: false });
}
