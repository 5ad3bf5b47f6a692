// Thread author: writes random thread programs. `room` is about how many visits a block may come to, so that loops around
// batches around fan-outs stay small.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { drawDataflow } from './dataflow.ts';
import { drawHandle } from './handle.ts';
import type { Part } from './part.ts';
import { drawTask } from './task-script.ts';
import type { Block, Mapping, Program, Step } from './thread-program.ts';

/** Where a block stands. */
interface Place {
  readonly room: number;
  /** Inside a fan-out with no slice around it since: a fan-in would be that of somebody else. */
  readonly isInFan: boolean;
  readonly isInSlice: boolean;
  readonly depth: number;
}

const paths = ['v', 'output', 'output.k', 'output.m.x', 'output.m', 'w.x'] as const;
const leaves = ['work', 'edit', 'work', 'edit', 'code', 'ask'] as const;
const branchings = ['fan', 'switch', 'batch', 'gosub', 'loop', 'fan'] as const;
const depthMax = 4;

export class ThreadAuthor {
  readonly #dice: Dice;
  #count = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  program(workflow: string, room: number, depth = 0): Program {
    const dice = this.#dice;
    const body = this.#block({ room, isInFan: false, isInSlice: false, depth }, 1);
    return {
      workflow,
      body,
      initialize: dice.chance(1, 6) ? this.#entries() : null,
      timeoutMs: dice.chance(1, 20) ? dice.pick([60_000, 150]) : null,
      concurrency: dice.chance(1, 10) ? dice.between(1, 2) : null,
    };
  }

  #entries(): Program['initialize'] {
    const dice = this.#dice;
    return [
      { path: 'list', isOptional: false },
      { path: 'v', isOptional: true, ...(dice.chance(1, 2) ? { default: 'by default' } : {}) },
      ...(dice.chance(1, 12) ? [{ path: 'nowhere', isOptional: false }] : []),
    ];
  }

  #block(place: Place, least = 0): Block {
    const dice = this.#dice;
    const count = Math.min(least + dice.draw(4), Math.max(place.room, 1));
    const room = Math.floor(place.room / Math.max(count, 1));
    const steps = Array.from({ length: count }, () => this.#step({ ...place, room }));
    return dice.chance(1, 9) ? [...steps, this.#tail(place)] : steps;
  }

  #tail(place: Place): Step {
    const dice = this.#dice;
    const id = this.#id();
    if (!place.isInFan && dice.chance(1, 10)) return { id, type: 'stray' };
    if (dice.chance(1, 2)) return { id, type: 'stop' };
    return { id, type: 'end', mappings: dice.chance(1, 2) ? this.#mappings() : null };
  }

  #step(place: Place): Step {
    const dice = this.#dice;
    const isBranching = place.room >= (place.isInFan ? 2 : 3) && place.depth < depthMax && dice.chance(1, 2);
    return isBranching ? this.#branching({ ...place, depth: place.depth + 1 }) : this.#leaf(place);
  }

  #leaf(place: Place): Step {
    const dice = this.#dice;
    const id = this.#id();
    switch (dice.pick(leaves)) {
      case 'work':
        return {
          id,
          type: 'work',
          task: drawTask(dice, id, { canRetry: true, troubled: 6 }),
          inputs: dice.chance(1, 4) ? this.#mappings() : null,
          outputs: dice.chance(1, 4) ? null : this.#outputs(),
        };
      case 'edit':
        return {
          id,
          type: 'edit',
          upserts: Array.from({ length: dice.between(0, 2) }, () => ({ path: this.#path(), value: this.#value(id) })),
          deletes: dice.chance(1, 3) ? [this.#path()] : [],
        };
      case 'code': {
        const source = dice.chance(1, 30)
          ? 'missing'
          : place.isInSlice
            ? dice.pick(['size', 'slice'] as const)
            : 'size';
        return { id, type: 'code', path: this.#path(), source };
      }
      case 'ask':
        return {
          id,
          type: 'ask',
          reply: this.#reply(id),
          deadlineMs: dice.chance(1, 8) ? dice.pick([5_000, 150]) : null,
        };
    }
  }

  #branching(place: Place): Step {
    const dice = this.#dice;
    const id = this.#id();
    const { room } = place;
    switch (dice.pick(branchings)) {
      case 'fan':
        return { id, type: 'fan', ways: this.#ways(place), hasLooseOutputs: dice.chance(1, 4) };
      case 'switch': {
        const condition = dice.pick(['even', 'hasV', 'hasVAsData', 'even', 'blank', 'missing'] as const);
        const sure = condition === 'missing' && !dice.chance(1, 4) ? 'even' : condition;
        return { id, type: 'switch', condition: sure, ways: [this.#block(place), this.#block(place)] };
      }
      case 'batch': {
        const inside = { ...place, room: Math.floor(room / 3), isInFan: false, isInSlice: true };
        const process = dice.chance(1, 15) ? null : this.#block(inside, 1);
        const items = dice.chance(1, 40) ? 'v' : 'list';
        return { id, type: 'batch', items, size: dice.draw(3), parallel: dice.between(1, 3), process };
      }
      case 'gosub':
        return {
          id,
          type: 'gosub',
          child: this.#child(`child-${id}`, Math.floor(room / 2), place.depth),
          ...(dice.chance(1, 2)
            ? { inputs: this.#mappings(), outputs: this.#mappings() }
            : { inputs: null, outputs: null }),
        };
      case 'loop': {
        const times = dice.between(1, 3);
        return { id, type: 'loop', times, body: this.#block({ ...place, room: Math.floor(room / times) }) };
      }
    }
  }

  #child(workflow: string, room: number, depth: number): Program | Part {
    const dice = this.#dice;
    if (!dice.chance(1, 5)) return this.program(workflow, room, depth);
    return dice.chance(1, 2) ? drawHandle(dice, workflow) : drawDataflow(dice, workflow);
  }

  /** Most meet at the fan-in; of some none can, of some perhaps none does. */
  #ways(place: Place): Block[] {
    const dice = this.#dice;
    const count = dice.chance(1, 30) ? 0 : dice.between(1, 3);
    const inside = { ...place, room: Math.floor(place.room / Math.max(count, 1)), isInFan: true };
    const style = dice.pick(['meet', 'meet', 'meet', 'meet', 'part', 'perhaps'] as const);
    const ways = Array.from({ length: count }, (): Block => {
      const way = this.#block(inside, style === 'meet' ? 0 : 1);
      if (style === 'meet') return way;
      const stop: Step = { id: this.#id(), type: 'stop' };
      if (style === 'part') return [...way, stop];
      const condition = dice.pick(['even', 'hasV'] as const);
      return [...way, { id: this.#id(), type: 'switch', condition, ways: [[stop], []] }];
    });
    // An output that leads nowhere is not connected, and no way.
    return ways.filter(([step]) => step?.type !== 'stop');
  }

  #id(): string {
    return `n${this.#count++}`;
  }

  #path(): string {
    return this.#dice.pick(paths);
  }

  #value(id: string): Json {
    return this.#dice.pick<Json>([id, [id, id], { k: id }, { m: { x: id, y: [id] } }, null, {}, 7, false]);
  }

  /** What is always there, and what may be. */
  #mappings(): Mapping[] {
    const dice = this.#dice;
    const path = this.#path();
    return [
      { to: 'list', from: 'list', isOptional: false },
      ...(dice.chance(1, 2) ? [{ to: path, from: this.#path(), isOptional: !dice.chance(1, 20) }] : []),
    ];
  }

  /** Of a result `{value, more?}`. */
  #outputs(): Mapping[] {
    const dice = this.#dice;
    return [
      { to: this.#path(), from: 'value', isOptional: false },
      ...(dice.chance(1, 4) ? [{ to: this.#path(), from: 'more', isOptional: !dice.chance(1, 10) }] : []),
    ];
  }

  #reply(id: string): Json {
    return this.#dice.pick<Json>([{ output: id }, { output: { k: id } }, { v: { said: id } }, {}]);
  }
}
