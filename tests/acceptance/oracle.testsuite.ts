// The oracle: what a program comes to, by walking its tree. Shares nothing with the engine; knows no tokens, no groups,
// no events. Only for programs without races.

import { type Block, type Dag, type Fan, hasExit, type Task } from './program.testsuite.ts';

type Value = unknown;

/** The run itself, or one branch: what was written in it, and what lies around it. */
interface Frame {
  readonly outer: Frame | null;
  readonly index?: number;
  readonly total?: number;
  readonly item?: number;
  x?: Value;
  /** The last raw output's `x`, for branches that wrote nothing. */
  raw?: Value;
  /** Something else than `x` was written. */
  wrote?: boolean;
}

/** The path ends, or a failure that nobody handled goes up. */
class Stopped extends Error {}
class Failed extends Error {}

export type Prediction = { readonly status: 'completed'; readonly x: Value } | { readonly status: 'failed' };

export interface Oracle {
  readonly prediction: Prediction;
  /** Attempts of all tasks until the end, if nothing stops the run. */
  readonly attempts: number;
}

export function predict(program: Block, x: Value): Oracle {
  const walk = new Walk();
  return { prediction: walk.run(program, x), attempts: walk.attempts };
}

/** What a task makes of its input: short, and another for every other input. */
export function valueOf(input: Readonly<Record<string, unknown>>): string {
  const { key, x, error, index, total, item, seen } = input;
  const text = stable({ x, error, index, total, item, seen });
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return `${String(key)}:${hash.toString(36)}`;
}

/** As JSON with sorted keys and without what is missing. */
export function stable(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${key}:${stable(member)}`)
    .join(',')}}`;
}

class Walk {
  attempts = 0;

  run(program: Block, x: Value): Prediction {
    const frame: Frame = { outer: null, ...(x === undefined ? {} : { x }) };
    try {
      this.#block(program, frame);
    } catch (error) {
      if (error instanceof Failed) return { status: 'failed' };
      if (!(error instanceof Stopped)) throw error;
    }
    return { status: 'completed', x: frame.x };
  }

  #block(block: Block, frame: Frame): void {
    switch (block.type) {
      case 'pass':
      case 'wait':
        return;
      case 'stop':
      case 'leap':
        throw new Stopped();
      case 'task':
        return this.#task(block, frame);
      case 'sequence':
        for (const part of block.blocks) this.#block(part, frame);
        return;
      case 'choice': {
        const holds = block.on === 'even' ? lookUp(frame, 'index') % 2 === 0 : block.on;
        return this.#block(holds ? block.first : block.otherwise, frame);
      }
      case 'rescue':
        return this.#rescue(block, frame);
      case 'loop':
        for (let turn = 0; turn <= block.times; turn++) this.#block(block.body, frame);
        return;
      case 'call':
        return this.#call(block, frame);
      case 'dag':
        return this.#dag(block, frame);
      case 'fan':
        return this.#fan(block, frame);
    }
  }

  #task({ key, failures, attempts, isRaw }: Task, frame: Frame, more: { error?: string; seen?: Value } = {}): void {
    this.attempts += Math.min(failures + 1, attempts);
    if (failures >= attempts) throw new Failed();
    const [index, total, item] = [lookUp(frame, 'index'), lookUp(frame, 'total'), lookUp(frame, 'item')];
    const value = valueOf({ key, x: lookUp(frame, 'x'), index, total, item, ...more });
    frame.raw = isRaw ? value : undefined;
    if (!isRaw) frame.x = value;
  }

  #rescue({ task, rescuer, handler }: Extract<Block, { type: 'rescue' }>, frame: Frame): void {
    try {
      return this.#task(task, frame);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
    }
    this.#task(rescuer, frame, { error: 'BOOM' });
    this.#block(handler, frame);
  }

  #call({ body, catches }: Extract<Block, { type: 'call' }>, frame: Frame): void {
    const ended = this.run(body, lookUp(frame, 'x'));
    if (ended.status === 'failed' && !catches) throw new Failed();
    const x = ended.status === 'failed' ? undefined : ended.x;
    frame.raw = x;
    if (x !== undefined) frame.x = x;
  }

  #dag({ key, nodes, last, exit }: Dag, frame: Frame): void {
    const ran: boolean[] = [];
    for (const [node, { from, require }] of nodes.entries()) {
      const taken = from.map((edge) => ran[edge.node] === true && edge.isOpen);
      ran.push(node === 0 || (require === 'all' ? taken.every(Boolean) : taken.some(Boolean)));
    }
    for (const [node, isRun] of ran.entries()) {
      if (!isRun) continue;
      this.attempts += 1;
      const waysOut = nodes.flatMap(({ from }) => from.filter((edge) => edge.node === node));
      const isStuck = waysOut.length > 0 && !waysOut.some(({ isOpen }) => isOpen) && !last.includes(node);
      if (isStuck) throw new Failed();
    }
    frame.raw = undefined;
    frame.wrote = true;
    const reached = last.filter((node) => ran[node]);
    if (reached.length === 0) throw new Stopped();
    const seen = Object.fromEntries(reached.map((node) => [`${key}_${node}`, valueOf({ key: `${key}_${node}` })]));
    this.#task(exit, frame, { seen });
  }

  #fan(fan: Fan, frame: Frame): void {
    const branches = fan.arms.flatMap(({ spawn, body }) => {
      if (spawn.type === 'items') return spawn.items.map((item) => ({ item, body }));
      return Array.from({ length: spawn.type === 'one' ? 1 : spawn.count }, () => ({ body }));
    });
    const given: [number, Value][] = [];
    let arrivals = 0;
    let failures = 0;
    for (const [index, { body, ...item }] of branches.entries()) {
      const branch: Frame = { outer: frame, index, total: branches.length, ...item };
      try {
        this.#block(body, branch);
        const value = branch.x === undefined && branch.wrote !== true ? branch.raw : branch.x;
        arrivals += 1;
        if (value !== undefined) given.push([index, value]);
      } catch (error) {
        if (error instanceof Failed) failures += 1;
        else if (!(error instanceof Stopped)) throw error;
      }
    }
    const most = fan.tolerates === null ? 0 : (fan.tolerates.maxFailures ?? Number.POSITIVE_INFINITY);
    if (failures > most) throw new Failed();
    if (!hasExit(fan)) throw new Stopped();
    const merged = fan.merge === null ? undefined : merge(fan.merge, given, arrivals);
    if (merged !== undefined) frame.x = merged;
  }
}

function lookUp(frame: Frame, name: 'index' | 'total' | 'item'): number;
function lookUp(frame: Frame, name: 'x'): Value;
function lookUp(frame: Frame, name: 'x' | 'index' | 'total' | 'item'): Value {
  for (let at: Frame | null = frame; at !== null; at = at.outer) if (at[name] !== undefined) return at[name];
  return undefined;
}

/** Undefined if nothing is to be written. */
export function merge(
  strategy: NonNullable<Fan['merge']>,
  given: readonly (readonly [number, Value])[],
  arrivals: number,
): Value {
  const values = given.map(([, value]) => value);
  if (strategy === 'append' || strategy === 'collect') return values;
  if (strategy === 'concat') return values.flat();
  if (strategy === 'keyed_by_branch') return Object.fromEntries(given);
  if (strategy === 'last_wins') return values.length === 0 ? null : values[values.length - 1];
  if (strategy === 'merge_object') return Object.assign({}, ...values.filter(isObject)) as Value;
  // `output_merge`: branches that came and brought nothing leave things as they were.
  if (values.length === 0) return arrivals === 0 ? {} : undefined;
  return values.reduce(together);
}

const isObject = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function together(left: Value, right: Value): Value {
  if (!isObject(left) || !isObject(right)) return [left, right].flat();
  const keys = [...Object.keys(left), ...Object.keys(right).filter((key) => !(key in left))];
  return Object.fromEntries(
    keys.map((key) => [key, !(key in right) ? left[key] : key in left ? together(left[key], right[key]) : right[key]]),
  );
}
