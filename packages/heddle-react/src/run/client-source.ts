// A source that follows a run on a server: what has happened, then what comes, without a gap when the connection breaks.
//
// Always true: at most `eventsKeptMax` events are kept. A run that has more is shown by figures that the server folds, and
// that are asked for again while it runs; its moments are its commits.

import type { JsonObject } from 'heddle';
import { isTerminal, type RunEvent } from 'heddle/journal';
import type { AnswerOf, WireClient } from 'heddle/wire';
import { isUnreachable } from '../connection/connection.tsx';
import { traveled } from './journal-source.ts';
import { Readings } from './readings.ts';
import { emptyReading, type RunReading, type RunSource } from './run-source.ts';
import { RunTravel } from './run-travel.ts';

/** Some 10 MB of a page's memory. */
export const eventsKeptMax = 20_000;
/** How long figures of a large run stay as they are, at least; and as a share of what it takes to fold them. */
const figuresEveryMs = 2_000;
const pausePerWork = 4;

type RunView = AnswerOf<'getRunView'>;

export class ClientSource implements RunSource {
  readonly client: WireClient;
  readonly #runId: string;
  readonly #readings: Readings;
  /** Ends what is being read, and a look at a moment. */
  #reading = new AbortController();
  #looking = new AbortController();
  /** Null before the run is known, and for a large one. */
  #travel: RunTravel | null = null;
  /** How a large run stands, whatever moment is shown. */
  #newest: RunView | null = null;
  /** The moment that was asked for before there was anything to show. */
  #awaited: number | 'live' = 'live';
  /** The server has refused to say more. */
  #isRefused = false;

  constructor(client: WireClient, runId: string) {
    this.client = client;
    this.#runId = runId;
    this.#readings = new Readings(emptyReading(runId), {
      open: () => this.#open(),
      close: () => this.#reading.abort(),
    });
  }

  readonly read = (): RunReading => this.#readings.read();

  readonly subscribe = (listener: () => void): (() => void) => this.#readings.subscribe(listener);

  readonly moveTo = (moment: number | 'live'): void => {
    const travel = this.#travel;
    if (travel === null && this.#newest === null) this.#awaited = moment;
    if (travel === null) return void this.#look(moment);
    travel.moveTo(moment);
    this.#readings.change((current) => traveled(current, travel));
  };

  readonly readEvents = async (after: string | null, limit: number): Promise<readonly RunEvent[]> => {
    const page = { runId: this.#runId, limit, ...(after === null ? {} : { after }) };
    return (await this.client.call('listRunEvents', page)).items;
  };

  readonly resume = (): void => {
    const { error, moment } = this.read();
    if (this.#isRefused) this.#open();
    else if (error !== null) void this.#look(moment);
  };

  #open(): void {
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    this.#isRefused = false;
    this.#follow(signal).catch((error: unknown) => {
      if (signal.aborted) return;
      this.#isRefused = true;
      this.#readings.change((current) => ({ ...current, error, connection: 'closed' }));
    });
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const view = await this.#ask({}, signal);
    const { run, drawing, figures } = view;
    const definition = this.read().definition ?? (await this.#readDefinition(run, signal));
    this.#readings.change((current) => ({ ...current, run, drawing, definition, error: null }));
    if (figures.events > eventsKeptMax) return this.#followLarge(view, signal);
    const travel = this.#travel ?? new RunTravel(drawing);
    if (this.#travel === null) travel.moveTo(this.#awaited);
    this.#travel = travel;
    const isWhole = await this.#followEvents(travel, figures.events, signal);
    if (signal.aborted) return;
    const last = await this.#ask({}, signal);
    if (!isWhole) return this.#followLarge(last, signal);
    this.#readings.change((current) => ({ ...current, run: last.run, phase: 'ready', connection: 'closed' }));
  }

  async #readDefinition({ workflow, version }: RunView['run'], signal: AbortSignal): Promise<JsonObject> {
    return (await this.client.call('getDefinition', { id: workflow, version }, { signal })).definition;
  }

  /** Until nothing more will come, which is true, or until there is too much of it. */
  async #followEvents(travel: RunTravel, known: number, signal: AbortSignal): Promise<boolean> {
    const news = this.client.follow(
      'streamRunEvents',
      { runId: this.#runId },
      {
        ...(travel.lastEvent === null ? {} : { after: travel.lastEvent }),
        signal,
        forever: true,
        onState: (connection) => this.#readings.change((current) => ({ ...current, connection })),
      },
    );
    for await (const event of news) {
      if (travel.length === eventsKeptMax) return false;
      travel.add(event);
      const phase = travel.length >= known ? 'ready' : 'loading';
      this.#readings.changeSoon((current) => ({ ...traveled(current, travel), phase }));
    }
    return true;
  }

  /** W35: a run that is too long to be kept: its figures now, and again as long as it runs. */
  async #followLarge(first: RunView, signal: AbortSignal): Promise<void> {
    this.#travel = null;
    for (let view = first; ; ) {
      const isFirst = this.#newest === null;
      this.#newest = view;
      this.#readings.change((current) => shownLarge(current, view));
      if (isFirst && this.#awaited !== 'live') void this.#look(this.#awaited);
      if (isTerminal(view.run.status) || view.run.quarantine !== null) break;
      const startedAt = performance.now();
      view = await this.#ask({}, signal);
      await pause(Math.max(figuresEveryMs, (performance.now() - startedAt) * pausePerWork), signal);
    }
    this.#readings.change((current) => ({ ...current, connection: 'closed' }));
  }

  /** At a moment of a large run. */
  async #look(moment: number | 'live'): Promise<void> {
    this.#looking.abort();
    const newest = this.#newest;
    if (newest === null) return;
    if (moment === 'live') {
      this.#readings.change((current) => shownLarge({ ...current, isLive: true, error: null }, newest));
      return;
    }
    this.#looking = new AbortController();
    const { signal } = this.#looking;
    this.#readings.change((current) => ({ ...current, moment, isLive: false }));
    try {
      const { figures } = await this.#ask({ eventId: await this.#lastEventOf(moment) }, signal);
      if (!signal.aborted) this.#readings.change((current) => ({ ...current, figures, error: null }));
    } catch (error) {
      if (!signal.aborted) this.#readings.change((current) => ({ ...current, error }));
    }
  }

  /** The last event of a commit; of one that does not end on a page, the last of that page. */
  async #lastEventOf(commit: number): Promise<string> {
    const endOfCommitBefore = `${commit - 1}.999999999`;
    const events = await this.readEvents(commit <= 1 ? null : endOfCommitBefore, 1_000);
    return events.findLast(({ seq }) => seq === commit)?.id ?? `${commit}.0`;
  }

  /** As often as it takes while the server is gone; said meanwhile. */
  async #ask(moment: { readonly eventId?: string }, signal: AbortSignal): Promise<RunView> {
    for (;;) {
      try {
        const view = await this.client.call('getRunView', { runId: this.#runId, ...moment }, { signal });
        if (this.read().connection === 'lost') this.#readings.change((current) => ({ ...current, connection: 'open' }));
        return view;
      } catch (error) {
        if (!isUnreachable(error) || signal.aborted) throw error;
        this.#readings.change((current) => ({ ...current, connection: 'lost' }));
        await pause(figuresEveryMs, signal);
      }
    }
  }
}

function shownLarge(current: RunReading, { run, commits, figures }: RunView): RunReading {
  const large = { ...current, run, phase: 'ready', isLarge: true, events: [], fold: null, length: commits } as const;
  return current.isLive ? { ...large, moment: commits, figures } : large;
}

/** Rejects when the signal says so. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const abort = (): void => {
      clearTimeout(timer);
      reject(new Error('Expected to be waited for, but nobody reads the run any more'));
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
