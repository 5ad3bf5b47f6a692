// Frame: the run itself, or one branch, as the oracle sees it: what was written in it, what lies around it, who is in it.
//
// Always true: what is written in a branch is seen in it and in the branches that it opens, and nowhere else.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { isObject, member } from './difference.ts';
import type { Group } from './group.ts';
import type { Condition } from './program.ts';
import type { Thread } from './thread.ts';

export type Write = readonly [target: string, value: Json];

/** What a slice of a batch sees in place of the list. */
interface Slice {
  readonly target: string;
  readonly items: readonly Json[];
  readonly start: number;
}

export interface Place {
  readonly group: Group;
  readonly index: number;
  readonly outer: Frame;
  readonly item?: Json;
  readonly slice?: Slice;
}

export class Frame {
  /** Null for the run itself. */
  readonly place: Place | null;
  /** By target, in the order of writing. */
  readonly writes = new Map<string, Json>();
  /** The last output of a task or a call; it counts where nothing was written. */
  raw: Json | undefined;
  /** All that is under way in it, and not in a branch further in. */
  readonly threads = new Set<Thread>();
  /** All fan-outs in it: what one has left alone may live on when it is over. */
  readonly groups = new Set<Group>();
  /** Whoever waits at the join for it. */
  arrival: Thread | null = null;
  hasBegun = false;
  /** Ended without having arrived. */
  end: 'completed' | 'failed' | null = null;
  /** Its join has left it alone. */
  isDetached = false;
  /** What it has written goes to nobody; that is told once, also if a thread that has left it still waits elsewhere. */
  isDropped = false;

  constructor(place: Place | null) {
    this.place = place;
  }

  get isLive(): boolean {
    return this.threads.size > 0;
  }

  /** Nothing will come from it to its join any more, but what has come. */
  get isSettled(): boolean {
    return this.end !== null || (this.arrival !== null && !this.isLive);
  }

  get outer(): Frame | null {
    return this.place?.outer ?? null;
  }

  write(writes: readonly Write[]): void {
    for (const [target, value] of writes) {
      for (const other of this.writes.keys()) if (other.startsWith(`${target}.`)) this.writes.delete(other);
      this.writes.delete(target);
      this.writes.set(target, value);
    }
  }

  /** What is seen of `state.x` and its like. */
  read(target: string): Json | undefined {
    const slice = this.place?.slice;
    const around = slice?.target === target ? slice.items : this.outer?.read(target);
    return over(around, target, this.writes);
  }

  /** What the branch itself has written to it. */
  written(target: string): Json | undefined {
    return over(undefined, target, this.writes);
  }

  /** Everything that was written to a section, as one object. */
  section(name: 'state' | 'output'): Record<string, Json> {
    let value: Json = {};
    for (const [target, written] of this.writes) {
      const [section, ...path] = target.split('.');
      if (section === name) value = put(value, path, written);
    }
    return value as Record<string, Json>; // `put` makes objects
  }

  /** `_branch.output`. */
  get output(): Json | undefined {
    if (this.writes.size === 0) return this.raw;
    return { ...this.section('output'), ...this.section('state') };
  }

  get outputX(): Json | undefined {
    return member(this.output, 'x');
  }

  get item(): Json | undefined {
    return this.place?.item ?? this.outer?.item;
  }

  get slice(): Slice | undefined {
    return this.place?.slice ?? this.outer?.slice;
  }

  /** Null if the condition cannot be evaluated. */
  holds(on: Condition): boolean | null {
    switch (on) {
      case 'broken':
        return null;
      case 'always':
        return true;
      case 'never':
        return false;
      case 'even':
        return this.place !== null && this.place.index % 2 === 0;
      case 'high': {
        const n = this.read('state.n');
        return typeof n === 'number' && n >= 2;
      }
    }
  }
}

function over(below: Json | undefined, target: string, writes: ReadonlyMap<string, Json>): Json | undefined {
  let value = below;
  for (const [written, json] of writes) {
    if (written === target) value = json;
    else if (written.startsWith(`${target}.`)) value = put(value, written.slice(target.length + 1).split('.'), json);
  }
  return value;
}

/** With a value at a path; objects between are made. */
function put(base: Json | undefined, path: readonly string[], value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const around = isObject(base) ? base : {};
  return { ...around, [key]: put(around[key], rest, value) };
}
