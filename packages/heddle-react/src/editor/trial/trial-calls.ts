// Trial calls: what the page asks of the worker in which a trial runs.

import type { Json, JsonObject, NodeTypeInfo, Prompt } from 'heddle';
import type { Drawing } from 'heddle/journal';
import type { AwaitedEvent } from './journal.ts';
import { Trial } from './trial.ts';
import { describeGraph, type TrialGraph } from './trial-graph.ts';
import type { TrialSetup, TrialView } from './trial-view.ts';

export interface StartedTrial {
  readonly drawing: Drawing;
  readonly view: TrialView;
}

/** One trial at a time: who starts the next ends the last. */
export function trialCalls() {
  let trial: Trial | null = null;
  const running = (): Trial => {
    if (trial === null) throw new Error('Expected a trial that was started, but there is none');
    return trial;
  };
  return {
    describe: (draft: { readonly definition: JsonObject; readonly catalogue: readonly NodeTypeInfo[] }): TrialGraph =>
      describeGraph(draft.definition, draft.catalogue),
    async start(setup: TrialSetup): Promise<StartedTrial> {
      const last = trial;
      trial = null;
      await last?.close();
      trial = await Trial.start(setup);
      return { drawing: await trial.drawing(), view: await trial.view() };
    },
    change: (changed: Pick<TrialSetup, 'pins' | 'pauses'>): Promise<TrialView> => running().change(changed),
    step: (_: null): Promise<TrialView> => running().step(),
    play: (budgetMs: number): Promise<TrialView> => running().play(budgetMs),
    skipTime: (_: null): Promise<TrialView> => running().skipTime(),
    reply: ({ prompt, payload }: { readonly prompt: Prompt; readonly payload: Json }): Promise<TrialView> =>
      running().reply(prompt, payload),
    publish: ({ wait, payload }: { readonly wait: AwaitedEvent; readonly payload: Json }): Promise<TrialView> =>
      running().publish(wait, payload),
  };
}

export type TrialCalls = ReturnType<typeof trialCalls>;
