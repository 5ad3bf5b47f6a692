// Trial session: a trial as the page holds it: starts it in the worker, steps, plays and pauses it, and keeps what is shown.
//
// Always true: one thing is asked of the worker at a time; what went wrong is kept until the next thing is asked; a trial that
// was started anew hears nothing of the one before.

import type { Json, Prompt } from 'heddle';
import type { Caller } from '../../worker/worker-calls.ts';
import type { AwaitedEvent } from './journal.ts';
import type { TrialCalls } from './trial-calls.ts';
import { TrialSource } from './trial-source.ts';
import type { TrialSetup, TrialView } from './trial-view.ts';

export interface TrialState {
  /** `busy`: it does what it was told. */
  readonly phase: 'none' | 'busy' | 'playing' | 'resting';
  /** Null before the first start. */
  readonly view: TrialView | null;
  readonly source: TrialSource | null;
  readonly error: unknown;
}

/** So long the worker plays before the page shows how far it is. */
const playMs = 60;

export class TrialSession {
  readonly #call: Caller<TrialCalls>;
  readonly #listeners = new Set<() => void>();
  #state: TrialState = { phase: 'none', view: null, source: null, error: null };

  constructor(call: Caller<TrialCalls>) {
    this.#call = call;
  }

  readonly read = (): TrialState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(setup: TrialSetup): Promise<void> {
    return this.#do('busy', async () => {
      const { drawing, view } = await this.#call('start', setup);
      const source = new TrialSource({ runId: view.runId, definition: setup.definition, drawing });
      this.#set({ source });
      return view;
    });
  }

  step(): Promise<void> {
    return this.#do('busy', () => this.#call('step', null));
  }

  /** Until somebody is asked, a pause is met, the run has ended, or `pause` is called. */
  async play(): Promise<void> {
    await this.#do('playing', () => this.#call('play', playMs), true);
    while (this.#state.phase === 'playing')
      if (canStep(this.#state.view)) await this.#do('playing', () => this.#call('play', playMs), true);
      else this.#set({ phase: 'resting' });
  }

  pause(): void {
    if (this.#state.phase === 'playing') this.#set({ phase: 'resting' });
  }

  skipTime(): Promise<void> {
    return this.#do('busy', () => this.#call('skipTime', null));
  }

  reply(prompt: Prompt, payload: Json): Promise<void> {
    return this.#do('busy', () => this.#call('reply', { prompt, payload }));
  }

  publish(wait: AwaitedEvent, payload: Json): Promise<void> {
    return this.#do('busy', () => this.#call('publish', { wait, payload }));
  }

  /** What later steps answer with, and where playing halts. Nothing to do before the start: that says it all. */
  async change(changed: Pick<TrialSetup, 'pins' | 'pauses'>): Promise<void> {
    if (this.#state.view !== null) await this.#do(this.#state.phase, () => this.#call('change', changed));
  }

  async #do(phase: TrialState['phase'], ask: () => Promise<TrialView>, plays = false): Promise<void> {
    this.#set({ phase, error: null });
    try {
      const view = await ask();
      this.#state.source?.add(view.events);
      // Somebody may have said pause meanwhile.
      const isPlaying = plays && this.#state.phase === 'playing';
      this.#set({ view, phase: isPlaying ? 'playing' : 'resting' });
    } catch (error) {
      this.#set({ error, phase: this.#state.view === null ? 'none' : 'resting' });
    }
  }

  #set(change: Partial<TrialState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Whether there is a step that needs nobody. */
export function canStep(view: TrialView | null): boolean {
  return view !== null && !view.isHalted && view.next.type !== 'person' && view.next.type !== 'none';
}
