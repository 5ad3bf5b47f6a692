// Random thread programs: fan-outs, batches, gosubs, switches, questions and work, nested in anything. Actions and people
// answer in random order, at times with a restart in between, at times while the run is paused. What comes out, and what every action was given, must be
// what a plain interpreter says, which walks the program as a tree and shares no code with the engine.
// `HEDDLE_RUNS=20000` tries more of them, `HEDDLE_SEED=7` others.

import { describe, expect, test } from 'vitest';
import type { Json } from '../../packages/heddle/src/index.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import { memoryStage, type Random, randomOf } from './play.testsuite.ts';
import {
  ask,
  batch,
  choose,
  type DrawnNode,
  edit,
  fanIn,
  fanOut,
  gosub,
  mappingsOf,
  start,
  thread,
  yields,
} from './thread.testsuite.ts';
import { type Fields, register, scripted } from './token-engine.testsuite.ts';

const programs = Number(process.env['HEDDLE_RUNS'] ?? 200);
const seed = Number(process.env['HEDDLE_SEED'] ?? 20_260_101);

// ------------------------------------------------------------------------------------------------------- programs

type Step =
  | { readonly type: 'set'; readonly id: string; readonly path: string; readonly value: Json }
  | { readonly type: 'delete'; readonly id: string; readonly path: string }
  | { readonly type: 'work'; readonly id: string; readonly path: string }
  | { readonly type: 'ask'; readonly id: string }
  | { readonly type: 'fan'; readonly id: string; readonly branches: readonly Block[] }
  | {
      readonly type: 'batch';
      readonly id: string;
      readonly size: number;
      readonly parallel: number;
      readonly process: Block;
    }
  | { readonly type: 'gosub'; readonly id: string; readonly isMapped: boolean; readonly child: Block }
  | { readonly type: 'switch'; readonly id: string; readonly ways: readonly [Block, Block] };

type Block = readonly Step[];

const places = ['output', 'output.k', 'output.m.x', 'output.m', 'v', 'w.x'] as const;
const leaves = ['set', 'set', 'set', 'delete', 'work', 'work', 'ask'] as const;
const branchings = ['fan', 'fan', 'batch', 'gosub', 'switch'] as const;

class Author {
  readonly #random: Random;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  block(depth: number, min = 0): Block {
    return Array.from({ length: min + this.#below(4) }, () => this.#step(depth));
  }

  #step(depth: number): Step {
    const id = `n${++this.#count}`;
    const type = this.#oneOf(depth > 0 && this.#random() < 0.45 ? branchings : leaves);
    const path = this.#oneOf(places);
    switch (type) {
      case 'set':
        return { type, id, path, value: this.#oneOf([id, [id, id], { k: id }, { m: { x: id, y: [id] } }, null, {}]) };
      case 'delete':
      case 'work':
        return { type, id, path };
      case 'ask':
        return { type, id };
      case 'fan':
        return { type, id, branches: Array.from({ length: 1 + this.#below(3) }, () => this.block(depth - 1)) };
      case 'batch':
        return { type, id, size: this.#below(3), parallel: 1 + this.#below(3), process: this.block(depth - 1, 1) };
      case 'gosub':
        return { type, id, isMapped: this.#random() < 0.5, child: this.block(depth - 1) };
      case 'switch':
        return { type, id, ways: [this.block(depth - 1), this.block(depth - 1)] };
    }
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }
}

// ------------------------------------------------------------------------------------------------------- drawing

/** The definition of a block, and those of the children that it calls. */
function draw(id: string, block: Block): Fields[] {
  const drawing: Drawing = { nodes: [start()], connectors: [], children: [] };
  drawBlock(drawing, block, ['start']);
  return [thread(id, drawing.nodes, drawing.connectors), ...drawing.children];
}

interface Drawing {
  readonly nodes: DrawnNode[];
  readonly connectors: string[];
  readonly children: Fields[];
}

/** From these outputs through the block; answers with the outputs that leave it. */
function drawBlock(drawing: Drawing, block: Block, from: readonly string[]): readonly string[] {
  return block.reduce((outputs, step) => drawStep(drawing, step, outputs), from);
}

function drawStep(drawing: Drawing, step: Step, from: readonly string[]): readonly string[] {
  const { id } = step;
  const add = (node: DrawnNode, outputs: readonly string[]): void => {
    drawing.nodes.push(node);
    drawing.connectors.push(...outputs.map((output) => `${output}->${node.id}`));
  };
  switch (step.type) {
    case 'set':
      add(edit(id, { [step.path]: step.value }), from);
      return [id];
    case 'delete':
      add(edit(id, {}, [step.path]), from);
      return [id];
    case 'work':
      add(yields(id, step.path), from);
      return [id];
    case 'ask':
      add(ask(id), from);
      return [id];
    case 'fan': {
      add(fanOut(id), from);
      add(
        fanIn(`${id}in`),
        step.branches.flatMap((branch, index) => drawBlock(drawing, branch, [`${id}:b${index}`])),
      );
      return [`${id}in`];
    }
    case 'batch':
      add(batch(id, 'list', step.size, step.parallel), from);
      drawBlock(drawing, step.process, [`${id}:process`]);
      return [`${id}:continue`];
    case 'gosub': {
      const mapped = {
        inputs: mappingsOf({ list: 'list' }),
        outputs: [{ to: 'output', from: 'output', optional: true }],
      };
      add(gosub(id, `child-${id}`, step.isMapped ? mapped : {}), from);
      drawing.children.push(...draw(`child-${id}`, step.child));
      return [id];
    }
    case 'switch':
      add(choose(id, 'even: size(context) % 2 == 0', 'odd'), from);
      add(
        edit(`${id}end`, {}),
        step.ways.flatMap((way, index) => drawBlock(drawing, way, [`${id}:${index === 0 ? 'even' : 'odd'}`])),
      );
      return [`${id}end`];
  }
}

// --------------------------------------------------------------------------------------------------- what is answered

const valueOf = (node: string, context: Json): string => `${node}/${JSON.stringify(sorted(context)).length}`;

const replyOf = (node: string): Json => {
  const number = Number(node.slice(1));
  return [{ output: { k: node } }, { output: node }, { v: { said: node } }, null][number % 4] ?? null;
};

// ----------------------------------------------------------------------------------------------------- the interpreter

type Bag = Record<string, Json>;

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value);

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as Json[]).map(sorted);
  if (!isBag(value)) return value;
  const keys = Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] as Json)]));
}

/** One thread: what it sees, and what of it is its own. */
class Walker {
  context: Bag;
  readonly #log: string[];
  readonly #own: Own = { parts: new Map() };

  constructor(context: Json, log: string[]) {
    this.context = structuredClone(context) as Bag;
    this.#log = log;
  }

  walk(block: Block): void {
    for (const step of block) this.#take(step);
  }

  #take(step: Step): void {
    switch (step.type) {
      case 'set':
        return this.#set(step.path.split('.'), step.value);
      case 'delete':
        remove(this.context, step.path.split('.'));
        return disown(this.#own, step.path.split('.'));
      case 'work':
        this.#log.push(`${step.id} ${JSON.stringify(sorted(this.context))}`);
        return this.#set(step.path.split('.'), valueOf(step.id, this.context));
      case 'ask':
        this.#log.push(`${step.id}?`);
        return this.#lay([], replyOf(step.id), true);
      case 'fan':
        return this.#join(step.branches.map((branch) => this.#branch(branch)));
      case 'batch':
        return this.#join(
          slicesOf(this.context['list'] as Json[], step.size).map((list) => this.#branch(step.process, { list })),
        );
      case 'gosub':
        return this.#call(step);
      case 'switch':
        return this.walk(step.ways[Object.keys(this.context).length % 2 === 0 ? 0 : 1]);
    }
  }

  #branch(block: Block, over: Bag = {}): Walker {
    const walker = new Walker({ ...this.context, ...over }, this.#log);
    walker.walk(block);
    return walker;
  }

  #call({ isMapped, child }: Extract<Step, { type: 'gosub' }>): void {
    const walker = new Walker(isMapped ? { list: this.context['list'] as Json } : this.context, this.#log);
    walker.walk(child);
    const { output } = walker.context;
    if (!isMapped) this.#lay([], walker.context, true);
    else if (output !== undefined) this.#set(['output'], output);
  }

  #join(branches: readonly Walker[]): void {
    const outputs = branches.flatMap(({ output }) => (output === undefined ? [] : [output]));
    if (outputs.length > 0) this.#lay(['output'], outputs.reduce(mergeTwo), false);
  }

  /** What it has itself put there. */
  get output(): Json | undefined {
    const own = ownedBy(this.#own);
    return isBag(own) ? own['output'] : undefined;
  }

  #set(path: readonly string[], value: Json): void {
    claim(this.#own, { there: this.context, path, value });
    put(this.context, path, value);
  }

  /** Objects key by key over what is there; all else in its place. */
  #lay(path: readonly string[], value: Json, skipsEqual: boolean): void {
    const there = find(this.context, path);
    if (isBag(value) && isBag(there)) {
      for (const [key, member] of Object.entries(value)) this.#lay([...path, key], member, skipsEqual);
    } else if (path.length > 0 && !(skipsEqual && there !== undefined && isEqual(there, value))) this.#set(path, value);
  }
}

/** What a thread has written: a whole value, or parts of an object that was there before. */
type Own = { whole: Json } | { readonly parts: Map<string, Own> };

function claim(
  mine: Own,
  { there, path, value }: { there: Json | undefined; path: readonly string[]; value: Json },
): Own {
  const [key, ...rest] = path;
  if (key === undefined) return { whole: structuredClone(value) };
  if (!isBag(there) || 'whole' in mine) {
    const bag = { '': 'whole' in mine && isBag(mine.whole) ? mine.whole : {} };
    put(bag, ['', ...path], value);
    return { whole: bag[''] };
  }
  mine.parts.set(key, claim(mine.parts.get(key) ?? { parts: new Map() }, { there: there[key], path: rest, value }));
  return mine;
}

function disown(mine: Own, path: readonly string[]): void {
  const [key = '', ...rest] = path;
  if ('whole' in mine) {
    if (isBag(mine.whole)) remove(mine.whole, path);
  } else if (rest.length === 0) mine.parts.delete(key);
  else disown(mine.parts.get(key) ?? { parts: new Map() }, rest);
}

function ownedBy(mine: Own): Json | undefined {
  if ('whole' in mine) return mine.whole;
  const members = [...mine.parts].map(([key, part]) => [key, ownedBy(part)] as const);
  const owned = members.filter(([, member]) => member !== undefined);
  return owned.length === 0 ? undefined : (Object.fromEntries(owned) as Bag);
}

const isEqual = (a: Json, b: Json): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function find(value: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((found, key) => (isBag(found) ? found[key] : undefined), value);
}

function put(bag: Bag, path: readonly string[], value: Json): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) bag[key] = structuredClone(value);
  else {
    const inner = isBag(bag[key]) ? bag[key] : {};
    bag[key] = inner;
    put(inner, rest, value);
  }
}

function remove(bag: Bag, path: readonly string[]): void {
  const [key = '', ...rest] = path;
  const inner = bag[key];
  if (rest.length === 0) delete bag[key];
  else if (isBag(inner)) remove(inner, rest);
}

function slicesOf(list: readonly Json[], size: number): Json[][] {
  const slices: Json[][] = [];
  for (let from = 0; from < list.length; from += size || list.length)
    slices.push(list.slice(from, from + (size || list.length)));
  return slices;
}

function mergeTwo(a: Json, b: Json): Json {
  if (!isBag(a) || !isBag(b)) return [a, b].flatMap((value) => (Array.isArray(value) ? (value as Json[]) : [value]));
  const both = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const there = both[key];
    both[key] = there === undefined ? value : mergeTwo(there, value);
  }
  return both;
}

// --------------------------------------------------------------------------------------------------------- the play

interface Outcome {
  readonly status: string;
  readonly output: unknown;
  /** Every action with what it was given, and every question, sorted. */
  readonly log: readonly string[];
}

function interpret(block: Block, input: Bag): Outcome {
  const log: string[] = [];
  const walker = new Walker(input, log);
  walker.walk(block);
  return { status: 'completed', output: walker.context, log: log.toSorted() };
}

async function play(
  host: AcceptanceHost,
  definitions: readonly Fields[],
  input: Bag,
  random: Random,
): Promise<Outcome> {
  const options = { ...scripted, limits: { dispatchesMax: 10_000 } };
  let t = await host.open(options);
  await register(t.engine, ...definitions.toReversed());
  const { id } = await t.engine.start('w', input);
  const log: string[] = [];
  const restart = async () => {
    t = await host.restart(t, options);
    await t.settle();
  };
  for (let goesOn = true; goesOn; ) {
    await t.settle();
    if (random() < 0.2) await restart();
    const isPaused = random() < 0.2;
    if (isPaused) await t.engine.run(id).pause();
    goesOn = await answerOne(t, id, random, log);
    if (!isPaused) continue;
    await t.settle();
    if (random() < 0.5) await restart();
    await t.engine.run(id).resume();
  }
  const { status, output } = await t.engine.run(id).summary();
  const { problems } = await t.engine.audit();
  expect(problems).toEqual([]);
  await t.engine.close({ graceMs: 0 });
  return { status, output, log: log.toSorted() };
}

/** Answers an action or a question, whichever comes up; false if there is none. */
async function answerOne(t: TestEngine, runId: string, random: Random, log: string[]): Promise<boolean> {
  const run = t.engine.run(runId);
  const calls = t.script.calls.filter(({ isAnswered, signal }) => !isAnswered && !signal.aborted);
  const prompts = await run.prompts();
  expect(prompts.length).toBeLessThanOrEqual(1);
  const choice = Math.floor(random() * (calls.length + prompts.length));
  const [call, prompt] = [calls[choice], prompts[choice - calls.length]];
  if (call) {
    log.push(`${call.nodeId} ${JSON.stringify(sorted(call.input))}`);
    call.complete({ value: valueOf(call.nodeId, call.input) });
  } else if (prompt) {
    log.push(`${prompt.nodeId}?`);
    await run.reply(prompt.correlationId, replyOf(prompt.nodeId));
  }
  return calls.length + prompts.length > 0;
}

async function comparePrograms(host: AcceptanceHost, numbers: { from: number; count: number }): Promise<void> {
  for (let number = numbers.from; number < numbers.from + numbers.count; number++) {
    const random = randomOf(seed + number);
    const block = new Author(random).block(3, 2);
    const input: Bag = { list: Array.from({ length: Math.floor(random() * 4) }, (_, item) => item) };
    const expected = interpret(block, input);
    if (expected.log.length > 40) continue;
    const played = await play(host, draw('w', block), input, random);
    expect({ number, block, input, ...played }).toEqual({ number, block, input, ...expected });
  }
}

describe('random threads', () => {
  const parts = 4;
  test.each(Array.from({ length: parts }, (_, part) => part))(
    'what comes out is what the interpreter says (%i)',
    (part) => comparePrograms(memoryStage, { from: part * programs, count: Math.ceil(programs / parts) }),
    60_000 + 100 * programs,
  );
});

onEveryHost('random threads on each host', (host) => {
  test('what comes out is what the interpreter says', () => comparePrograms(host, { from: 0, count: 15 }), 60_000);
});
