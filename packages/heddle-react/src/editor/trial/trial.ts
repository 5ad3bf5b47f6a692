// Trial: a draft runs in the real engine, on virtual time, without side effects: what the world would say is pinned. It moves
// one step at a time: a task is answered, a prompt is, an event comes, or time moves to the next timer.
//
// Always true: between two steps nothing happens by itself; nothing leaves the engine: no action of a program is called, and
// nothing is requested.

import type { Json, Prompt, TokenInfo } from 'heddle';
import { isTerminal } from 'heddle';
import type { Drawing } from 'heddle/journal';
import { createTestEngine, type TestEngine, VirtualClock } from 'heddle/testing';
import { type AwaitedEvent, TrialJournal } from './journal.ts';
import { type OpenCall, OpenCalls } from './open-calls.ts';
import { outcomeOf, type Pins, type TrialAnswer, type Visit } from './pins.ts';
import { sampleOf } from './sample.ts';
import { runsItself, schemaOfPorts, trialActions } from './trial-actions.ts';
import { describeGraph, preparedDraft, type TrialNode } from './trial-graph.ts';
import type { NextStep, TrialCall, TrialSetup, TrialView } from './trial-view.ts';
import { Visits } from './visits.ts';

type Step =
  | { readonly type: 'call'; readonly call: OpenCall }
  | { readonly type: 'prompt'; readonly prompt: Prompt; readonly payload: Json }
  | { readonly type: 'event'; readonly wait: AwaitedEvent; readonly payload: Json }
  | { readonly type: 'time'; readonly at: number | null }
  | { readonly type: 'person' }
  | { readonly type: 'none' };

const callsShown = 50;
/** Alarms that are let go off in search of one that moves the run. */
const alarmsMax = 1_000;

export class Trial {
  readonly #setup: TrialSetup;
  readonly #world: TestEngine;
  readonly #journal: TrialJournal;
  readonly #calls: OpenCalls;
  readonly #runId: string;
  readonly #nodes: ReadonlyMap<string, TrialNode>;
  readonly #visits: Visits;
  #pins: Pins;
  #pauses: ReadonlySet<string>;
  /** The call at which playing halted: it does not halt there again. */
  #halt: OpenCall | null = null;

  /** Starts the run. What is wrong with the draft or the input is thrown, in the words of the engine. */
  static async start(setup: TrialSetup): Promise<Trial> {
    const journal = new TrialJournal();
    const calls = new OpenCalls();
    const world = await createTestEngine({
      ...trialActions(setup.catalogue, calls.ask),
      // What the catalogue lacks is answered all the same: a draft may name what is yet to be written.
      loadAction: (name) => ({ run: (context) => calls.ask(name, context) }),
      clock: new VirtualClock(setup.startsAt),
      onEvent: (event) => journal.add(event),
    });
    for (const called of setup.definitions) await world.engine.register(called);
    const draft = preparedDraft(setup.definition, stoodInFor(setup));
    const registered = await world.engine.call('registerDefinition', { definition: draft });
    const { id } = await world.engine.start(registered.id ?? '', setup.input);
    await world.settle();
    return new Trial(setup, { world, journal, calls, runId: id });
  }

  private constructor(
    setup: TrialSetup,
    parts: {
      readonly world: TestEngine;
      readonly journal: TrialJournal;
      readonly calls: OpenCalls;
      readonly runId: string;
    },
  ) {
    this.#setup = setup;
    this.#world = parts.world;
    this.#journal = parts.journal;
    this.#calls = parts.calls;
    this.#runId = parts.runId;
    const { nodes } = describeGraph(setup.definition, setup.catalogue);
    this.#nodes = new Map(nodes.map((node) => [node.nodeId, node]));
    this.#visits = new Visits((runId, after) => this.#readTokens(runId, after));
    this.#pins = setup.pins;
    this.#pauses = new Set(setup.pauses);
  }

  /** What later steps go by. */
  async change({ pins, pauses }: Pick<TrialSetup, 'pins' | 'pauses'>): Promise<TrialView> {
    this.#pins = pins;
    this.#pauses = new Set(pauses);
    return this.view();
  }

  async step(): Promise<TrialView> {
    await this.#take(await this.#findStep());
    return this.view();
  }

  /** Steps until a person is asked, a pause is met, the run has ended, or so many milliseconds have passed. */
  async play(budgetMs: number): Promise<TrialView> {
    const until = performance.now() + budgetMs;
    do {
      const step = await this.#findStep();
      if (this.#haltsAt(step)) return this.view(true);
      if (step.type === 'person' || step.type === 'none') break;
      await this.#take(step);
    } while (performance.now() < until);
    return this.view();
  }

  /** To the next timer, though somebody is asked. */
  async skipTime(): Promise<TrialView> {
    await this.#advanceTo(await this.#timerAt());
    return this.view();
  }

  async reply(prompt: Pick<Prompt, 'runId' | 'correlationId'>, payload: Json): Promise<TrialView> {
    await this.#reply(prompt, payload);
    return this.view();
  }

  async publish(wait: Pick<AwaitedEvent, 'event' | 'correlation'>, payload: Json): Promise<TrialView> {
    await this.#publish(wait, payload);
    return this.view();
  }

  async view(isHalted = false): Promise<TrialView> {
    const step = await this.#findStep();
    const shown = this.#calls.open.slice(0, callsShown);
    return {
      runId: this.#runId,
      status: (await this.#world.engine.run(this.#runId).summary()).status,
      now: this.#world.clock.now(),
      next: shownStep(step),
      isHalted,
      calls: await Promise.all(shown.map((call) => this.#describe(call))),
      callCount: this.#calls.open.length,
      prompts: await this.#prompts(),
      awaited: this.#journal.awaited,
      timerAt: await this.#timerAt(),
      events: this.#journal.take(),
    };
  }

  /** What of the draft the journal is drawn on. */
  async drawing(): Promise<Drawing> {
    return (await this.#world.engine.call('getRunView', { runId: this.#runId })).drawing;
  }

  close(): Promise<void> {
    return this.#world.engine.close({ graceMs: 0 });
  }

  /** Work first, then what people and the world say, then time, if nobody was asked who could answer before. */
  async #findStep(): Promise<Step> {
    const [call] = this.#calls.open;
    if (call !== undefined) return { type: 'call', call };
    const prompts = await this.#prompts();
    const { awaited } = this.#journal;
    for (const prompt of prompts) {
      const payload = this.#pinnedOutput(prompt, { pathId: prompt.path ?? 'root', number: 1 });
      if (payload !== undefined) return { type: 'prompt', prompt, payload };
    }
    for (const wait of awaited) {
      const payload = this.#pinnedOutput(wait, await this.#visits.of(wait.runId, wait.tokenId));
      if (payload !== undefined) return { type: 'event', wait, payload };
    }
    const { status } = await this.#world.engine.run(this.#runId).summary();
    if (isTerminal(status)) return { type: 'none' };
    const timerAt = await this.#timerAt();
    const patience = [...prompts, ...awaited].map(({ deadline }) => deadline ?? Number.POSITIVE_INFINITY);
    if (timerAt !== null && patience.every((deadline) => timerAt < deadline)) return { type: 'time', at: timerAt };
    return patience.length > 0 ? { type: 'person' } : { type: 'time', at: null };
  }

  async #take(step: Step): Promise<void> {
    switch (step.type) {
      case 'call':
        step.call.answer(await this.#answerFor(step.call));
        return this.#world.settle();
      case 'prompt':
        return this.#reply(step.prompt, step.payload);
      case 'event':
        return this.#publish(step.wait, step.payload);
      case 'time':
        return this.#advanceTo(step.at);
      case 'person':
      case 'none':
    }
  }

  async #reply({ runId, correlationId }: Pick<Prompt, 'runId' | 'correlationId'>, payload: Json): Promise<void> {
    await this.#world.engine.run(runId).reply(correlationId, payload);
    await this.#world.settle();
  }

  async #publish({ event, correlation }: Pick<AwaitedEvent, 'event' | 'correlation'>, payload: Json): Promise<void> {
    await this.#world.engine.publish(event, payload, correlation === '' ? {} : { correlation });
    await this.#world.settle();
  }

  #haltsAt(step: Step): boolean {
    if (step.type !== 'call' || step.call === this.#halt || !this.#isOwn(step.call.context.runId)) return false;
    if (!this.#pauses.has(step.call.context.nodeId)) return false;
    this.#halt = step.call;
    return true;
  }

  /** To a timer of a run; without one to whatever goes off and moves the run, such as work that takes its time. */
  async #advanceTo(at: number | null): Promise<void> {
    const { clock, advance } = this.#world;
    if (at !== null) return advance(Math.max(0, at - clock.now()));
    const { length } = this.#journal;
    for (let alarms = 0; alarms < alarmsMax && clock.nextAt !== null && this.#journal.length === length; alarms += 1)
      await advance(Math.max(0, clock.nextAt - clock.now()));
  }

  async #timerAt(): Promise<number | null> {
    const runs = this.#journal.liveRuns.slice(0, callsShown);
    const summaries = await Promise.all(runs.map((runId) => this.#world.engine.run(runId).summary()));
    const times = summaries.flatMap(({ nextTimerAt }) => nextTimerAt ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  #prompts(): Promise<readonly Prompt[]> {
    return this.#world.engine.prompts({ runId: this.#runId });
  }

  async #describe(call: OpenCall): Promise<TrialCall> {
    const { runId, tokenId, nodeId, attempt, input } = call.context;
    return { runId, tokenId, nodeId, action: call.action, attempt, input, answer: await this.#answerFor(call) };
  }

  /** What was pinned; else its own work, where it asks nobody, or a sample of what the action gives. */
  async #answerFor({ action, context: { runId, tokenId, nodeId } }: OpenCall): Promise<TrialAnswer> {
    const isOwn = this.#isOwn(runId);
    const pin = isOwn && Object.hasOwn(this.#pins, nodeId) ? this.#pins[nodeId] : undefined;
    if (pin !== undefined) return outcomeOf(pin, await this.#visits.of(runId, tokenId));
    if (runsItself(action)) return { type: 'own' };
    const info = this.#setup.catalogue.find(({ type }) => type === action);
    const schema = (isOwn ? this.#nodes.get(nodeId)?.schema : undefined) ?? schemaOfPorts(info?.outputs);
    return { type: 'output', output: sampleOf(schema) };
  }

  /** Of a prompt or a wait: undefined where nothing is pinned. */
  #pinnedOutput(
    { runId, nodeId }: { readonly runId: string; readonly nodeId: string },
    visit: Visit,
  ): Json | undefined {
    const pin = this.#isOwn(runId) && Object.hasOwn(this.#pins, nodeId) ? this.#pins[nodeId] : undefined;
    const outcome = pin === undefined ? undefined : outcomeOf(pin, visit);
    return outcome?.type === 'output' ? outcome.output : undefined;
  }

  /** Pins and pauses are of the draft, not of the workflows that it calls. */
  #isOwn(runId: string): boolean {
    return runId === this.#runId;
  }

  async #readTokens(runId: string, after: string | null): Promise<readonly TokenInfo[]> {
    const page = await this.#world.engine.call('listTokens', { runId, ...(after === null ? {} : { after }) });
    return page.items;
  }
}

/** Workflows that are pinned where they are called, or not there. */
function stoodInFor({ definition, definitions, pins }: TrialSetup): (nodeId: string, workflow: string) => boolean {
  const there = new Set([definition['id'], ...definitions.map(({ id }) => id)]);
  return (nodeId, workflow) => Object.hasOwn(pins, nodeId) || !there.has(workflow);
}

function shownStep(step: Step): NextStep {
  switch (step.type) {
    case 'call':
      return { type: 'call', nodeId: step.call.context.nodeId };
    case 'prompt':
      return { type: 'prompt', nodeId: step.prompt.nodeId };
    case 'event':
      return { type: 'event', nodeId: step.wait.nodeId };
    case 'time':
      return step.at === null ? { type: 'time' } : { type: 'time', at: step.at };
    case 'person':
    case 'none':
      return { type: step.type };
  }
}
