// Open threads: a fleet of SQLite files, each shard in a thread of its own, actions in this one. Rules SH15 to SH17.
//
// Always true: the files are a fleet, and every shard has what it missed, before a thread begins; every shard is loaded before
// one of them resumes; one that cannot be opened keeps no other from it, but for the first (SH14); whatever fails, no thread is
// left.

import { Placement } from '../../actor/mail/placement.ts';
import { closedError } from '../../actor/refusals.ts';
import { asError } from '../../actor/store-error.ts';
import { shardFile } from '../../base/shard.ts';
import { checkOptions } from '../../engine/check-options.ts';
import type { Engine, EngineOptions } from '../../engine/engine.ts';
import { engineOptions } from '../../engine/local-engine.ts';
import { homeShard } from '../../engine/peers.ts';
import type { FleetFolder } from '../../hosts/sqlite/fleet-folder.ts';
import { absentShard } from '../absent-shard.ts';
import { Fleet } from '../fleet.ts';
import { type Shard, Shards } from '../shards.ts';
import { SharedChanges } from '../shared.ts';
import { FarShard } from './far-shard.ts';
import { MainSide } from './main-side.ts';
import { prepareFolder } from './prepare-folder.ts';
import { refuseCode } from './shard-plan.ts';
import { ShardThread, type ThreadSeams } from './shard-thread.ts';

export async function openThreads(
  place: FleetFolder,
  options: EngineOptions,
  seams: ThreadSeams = {},
): Promise<Engine> {
  checkOptions('createEngine', options, engineOptions);
  refuseCode(options);
  const { absences, secretKey } = await prepareFolder(place);
  const opening = new Opening({ ...seams, options, absences });
  try {
    return await opening.open(place.folder, secretKey);
  } catch (error) {
    await opening.undo(asError(error));
    throw error;
  }
}

interface OpeningOptions extends ThreadSeams {
  readonly options: EngineOptions;
  /** By shard: why it is not there. */
  readonly absences: readonly (Error | null)[];
}

class Opening {
  readonly #options: EngineOptions;
  readonly #program: URL | undefined;
  readonly #threads: (ShardThread | null)[];
  readonly #shards: Shard[] = [];
  readonly #main: MainSide;
  #isOpen = false;
  #isUndone = false;

  constructor({ options, absences, program }: OpeningOptions) {
    this.#options = options;
    this.#program = program;
    this.#threads = absences.map(() => null);
    this.#main = new MainSide(options, (shard) => this.#shards[shard]);
    for (const [shard, absence] of absences.entries()) {
      if (absence) this.#leaveOut(shard, absence);
      else this.#threads[shard] = this.#begin(shard);
    }
  }

  async open(folder: string, secretKey: Uint8Array): Promise<Engine> {
    const main = this.#main;
    await this.#inEach(async (shard, { line }) => {
      const file = shardFile(folder, shard);
      await line.ask('openFile', [file]);
      await main.openReader(shard, file);
    });
    await this.#inEach((shard, { line }) => {
      this.#shards[shard] = new FarShard(this.#threads[shard] as ShardThread, main.join(shard, line)); // it is there
      return line.ask('make', [main.planFor(shard, secretKey)]);
    });
    await main.learnAnnounced();
    await this.#inEach((_, { line }) => line.ask('load'));
    await this.#inEach((_, { line }) => line.ask('resume'));
    return this.#asOne();
  }

  #begin(shard: number): ShardThread {
    return new ShardThread({
      shard,
      program: this.#program,
      onLeave: () => void this.#main.closeReader(shard),
      onDeath: (error) => this.#lose(shard, error),
      onError: (error) => this.#main.broken(error),
    });
  }

  async #inEach(work: (shard: number, thread: ShardThread) => Promise<unknown>): Promise<void> {
    await Promise.all(
      this.#threads.map(async (thread, shard) => {
        try {
          if (thread) await work(shard, thread);
        } catch (error) {
          // As in one thread: without the first there is no fleet; any other may be missing (SH14).
          if (shard === homeShard || this.#isUndone) throw error;
          this.#leaveOut(shard, asError(error));
        }
      }),
    );
  }

  #leaveOut(shard: number, absence: Error): void {
    void this.#threads[shard]?.end(absence);
    this.#threads[shard] = null;
    this.#shards[shard] = absentShard(absence);
    this.#main.leaveOut(shard, absence);
    this.#options.onError?.(absence, {});
  }

  /** One that dies while it is opened is left out by whoever asks it. */
  #lose(shard: number, error: Error): void {
    const lost = this.#shards[shard];
    if (!this.#isOpen || !(lost instanceof FarShard)) return;
    lost.lose(error);
    this.#main.broken(error);
  }

  #asOne(): Engine {
    this.#isOpen = true;
    const { viewer, stores, moment } = this.#main;
    const [home, ...others] = this.#shards as [FarShard, ...Shard[]]; // without home nothing is opened
    const reached = others.map((shard, index) => ({
      get absence() {
        return shard.absence;
      },
      peer: this.#main.between(homeShard, index + 1),
    }));
    home.share(new SharedChanges(stores[homeShard], reached), () => this.#main.learnAnnounced());
    const shards = new Shards({
      all: [home, ...others],
      placement: new Placement(homeShard, stores.length),
      stores,
      viewer: viewer.parts,
      refuseChange: () => {
        if (home.isClosed) throw closedError();
      },
      copyAll: (copies) => moment.copy(copies),
      close: async (options) => {
        await Promise.all(shards.all.map((shard) => shard.close(options)));
        await this.#main.close();
      },
    });
    return new Fleet(shards, {
      validate: (definition) => viewer.validate(definition),
      snapshotKey: () => viewer.snapshotKey(),
      webhooks: home.webhooks,
    });
  }

  async undo(error: Error): Promise<void> {
    this.#isUndone = true;
    for (const thread of this.#threads) await thread?.end(error);
    await this.#main.close();
  }
}
