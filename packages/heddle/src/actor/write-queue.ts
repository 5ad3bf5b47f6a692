// Write queue: every write of an engine to a store with a fence, one after the other, numbered, and settled where its outcome
// is unknown. Rules WR….
//
// Always true: one write is on its way at a time; what is answered as written is stored, what is refused is not and never
// will be; whoever was fenced writes nothing more and learns nothing more.

import type { ArtifactStore, Clock, Fence, Stamp, Store, Tenure } from './ports.ts';
import { asError, isFenced, StoreError } from './store-error.ts';

/** The members of a store that write, beside the removal of artifacts. */
const writeNames = [
  'commit',
  'saveSnapshot',
  'saveDefinition',
  'deleteRuns',
  'deleteRemains',
  'deleteKeys',
] as const satisfies readonly (keyof Store)[];

export type WriteName = (typeof writeNames)[number];

const names: ReadonlySet<PropertyKey> = new Set(writeNames);

export const isWriteName = (name: PropertyKey): name is WriteName => names.has(name);

export interface FencedStore extends Store {
  readonly fence: Fence;
}

export interface WriteQueueOptions {
  readonly store: FencedStore;
  readonly clock: Clock;
  /** Of this process, and of no other. */
  readonly owner: string;
}

interface Job {
  readonly send: (stamp: Stamp) => unknown;
  /** What it answers if it is stored although nobody heard so. */
  readonly unheard: unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** How long it may take to settle a write that is in doubt, and how often that is tried. */
const patienceMs = 10_000;
const retryMs = 50;

export interface OwnedStore {
  /** As its owner sees it. */
  readonly store: Store;
  /** Answers if it becomes another's; null if it cannot. */
  readonly whenFenced: Promise<StoreError> | null;
}

/** Takes the fence. */
export async function ownStore(
  options: WriteQueueOptions,
): Promise<OwnedStore & { readonly whenFenced: Promise<StoreError> }> {
  const { store, owner } = options;
  const queue = new WriteQueue(options, await store.fence.take(owner));
  return { store: guarded(store, queue), whenFenced: queue.whenFenced };
}

function guarded(store: Store, queue: WriteQueue): Store {
  const artifacts = guardedArtifacts(store.artifacts, queue);
  return new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'artifacts') return artifacts;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'hash') return value;
      const member = value.bind(target) as Member; // whatever it takes, it is given
      if (name === 'close') return member;
      return isWriteName(name) ? written(queue, member, unheardAnswers[name]) : read(queue, member);
    },
  });
}

/** WR7: the next owner may need what this one wants to remove; bytes that are put are the same whoever puts them. */
function guardedArtifacts(artifacts: ArtifactStore, queue: WriteQueue): ArtifactStore {
  return new Proxy(artifacts, {
    get(target, name: keyof ArtifactStore) {
      const member = target[name].bind(target) as Member; // as above
      return name === 'remove' ? written(queue, member, undefined) : read(queue, member);
    },
  });
}

type Member = (...args: readonly unknown[]) => unknown;

const written =
  (queue: WriteQueue, member: Member, answer: unknown): Member =>
  (...args) =>
    queue.write((stamp) => member(...args, stamp), answer);

/** An answer without a write would tell of a store that is another's. */
const read =
  (queue: WriteQueue, member: Member): Member =>
  (...args) => {
    queue.refuseIfFenced();
    return member(...args);
  };

/** Of remains there may be more, and asking again is harmless. */
const unheardAnswers: Readonly<Partial<Record<WriteName, unknown>>> = { deleteRemains: false };

class WriteQueue {
  readonly whenFenced: Promise<StoreError>;
  #tellFenced: (error: StoreError) => void = () => undefined;
  readonly #options: WriteQueueOptions;
  #tenure: Tenure;
  readonly #jobs: Job[] = [];
  #isAtWork = false;
  #fenced: StoreError | null = null;

  constructor(options: WriteQueueOptions, tenure: Tenure) {
    this.#options = options;
    this.#tenure = tenure;
    this.whenFenced = new Promise((resolve) => {
      this.#tellFenced = resolve;
    });
  }

  refuseIfFenced(): void {
    if (this.#fenced !== null) throw this.#fenced;
  }

  /** WR1: in the order of asking, one at a time. */
  write(send: (stamp: Stamp) => unknown, unheard: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#fenced !== null) return reject(this.#fenced);
      this.#jobs.push({ send, unheard, resolve, reject });
      if (!this.#isAtWork) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isAtWork = true;
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) await this.#do(job);
    this.#isAtWork = false;
  }

  async #do({ send, unheard, resolve, reject }: Job): Promise<void> {
    const stamp = { owner: this.#options.owner, epoch: this.#tenure.epoch, number: this.#tenure.number + 1 };
    try {
      const answer = await send(stamp);
      this.#tenure = { epoch: stamp.epoch, number: stamp.number };
      resolve(answer);
    } catch (error) {
      const outcome = isInDoubt(error) ? await this.#settle(stamp) : asError(error);
      if (outcome === null) return resolve(unheard);
      if (isFenced(outcome)) this.#giveUp(outcome);
      reject(outcome);
    }
  }

  /**
   * WR3: a write that is in doubt is settled by raising one's own epoch first: what is on its way then is in, or is dead for
   * ever; asking alone is not enough, for late bytes arrive after the question. Null: it is stored.
   */
  async #settle({ epoch, number }: Stamp): Promise<Error | null> {
    const tenure = await this.#raise();
    // WR4: whoever cannot settle it in time gives the store up.
    if (tenure === 'unknown') return fencedError('the outcome of a write could not be settled in time');
    if (tenure === null) return fencedError('another process has taken it');
    this.#tenure = tenure;
    if (tenure.number === number) return null;
    if (tenure.number === number - 1)
      return new StoreError(
        'STORE_FAILED',
        `Expected write ${number} to be stored, but its answer and the write were lost`,
      );
    // WR6: it does not hold what it held, or holds what nobody wrote.
    return fencedError(`it has write ${tenure.number} where ${number} was the newest of epoch ${epoch}`);
  }

  async #raise(): Promise<Tenure | null | 'unknown'> {
    const { store, owner, clock } = this.#options;
    const until = clock.now() + patienceMs;
    for (;;) {
      try {
        return await store.fence.raise(owner);
      } catch (error) {
        if (isFenced(error)) return null;
        if (clock.now() + retryMs > until) return 'unknown';
        await new Promise<void>((resolve) => void clock.schedule(clock.now() + retryMs, resolve));
      }
    }
  }

  /** Nothing that waits is written, and nothing is read any more. */
  #giveUp(error: StoreError): void {
    if (this.#fenced !== null) return;
    this.#fenced = error;
    for (const { reject } of this.#jobs.splice(0)) reject(error);
    this.#tellFenced(error);
  }
}

const isInDoubt = (error: unknown): boolean => error instanceof StoreError && error.code === 'STORE_IN_DOUBT';

function fencedError(why: string): StoreError {
  return new StoreError(
    'STORE_FENCED',
    `Expected this engine to own its store, but ${why}. Nothing more is stored here; open the store again.`,
  );
}
