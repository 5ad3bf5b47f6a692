// Fleet carrier: brings each operation to the shard that can do it, by the `where` of the table; what concerns all of them is
// asked of all, and put together. Rules SH1 to SH8.
//
// Always true: a request is checked by the table once, before anything is read from it; a shard does what a store alone would.

import type { Call } from '../engine/performer.ts';
import type { Carrier, ItemOf, ListedOf, ListName, ReadOptions, StreamName, Wanted } from '../operations/carrier.ts';
import { checkRequest } from '../operations/check-request.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { type AnswerOf, type OperationName, operations, type RequestOf } from '../operations/operations.ts';
import { everyItem } from '../operations/pages.ts';
import { itemsPerRequestMax, type Page } from '../operations/parts.ts';
import type { AwaitedRun } from '../operations/run-results.ts';
import type { OneLease } from '../operations/work.ts';
import { homeRoutes } from './at-home.ts';
import { keyRoutes } from './by-key.ts';
import { type Named, runRoutes, shardOfNamed } from './by-run.ts';
import { shardOfLease, workRoutes } from './by-work.ts';
import { everyRoutes, readEvery } from './every-shard.ts';
import type { Route, Routes } from './route.ts';
import type { Shard, Shards } from './shards.ts';

const table: Readonly<Record<OperationName, AnyOperation>> = operations;

const routes: Routes = { ...homeRoutes, ...runRoutes, ...keyRoutes, ...everyRoutes, ...workRoutes };

export class FleetCarrier implements Carrier {
  readonly #shards: Shards;

  constructor(shards: Shards) {
    this.#shards = shards;
  }

  async call<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    call: Call = {},
  ): Promise<AnswerOf<Name>> {
    checkRequest(name, request, this.#shards.limits);
    return this.perform(name, request, call);
  }

  /** Of a request that was checked by the table. */
  readonly perform = async <Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    call: Call = {},
  ): Promise<AnswerOf<Name>> => {
    const shards = this.#shards;
    if (table[name].changes) shards.refuseChange();
    shards.beyond?.refuse(name);
    const route: Route<Name> | undefined = shards.beyond?.routes[name] ?? routes[name];
    return route ? route(shards, request, call) : this.#shardFor(name, request).perform(name, request, call);
  };

  /** Of an operation that is one shard's. */
  #shardFor<Name extends OperationName>(name: Name, request: RequestOf<Name>): Shard {
    const { where } = table[name];
    if (where === 'run') return shardOfNamed(this.#shards, request as Named); // as all of these have it
    if (where === 'work') return shardOfLease(this.#shards, request as OneLease); // as above
    return this.#shards.home;
  }

  async list<Name extends ListName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after' | 'limit'>,
    wanted: Wanted = {},
  ): Promise<readonly ListedOf<Name>[]> {
    const { limit } = wanted;
    const isMany = Number.isSafeInteger(limit) && Number(limit) > itemsPerRequestMax;
    checkRequest(
      name,
      { ...wanted, ...request, ...(isMany ? { limit: itemsPerRequestMax } : {}) },
      this.#shards.limits,
    );
    const ask = (page: Wanted): Promise<Page<ListedOf<Name>>> =>
      this.call(name, { ...request, ...page } as unknown as RequestOf<Name>) as Promise<Page<ListedOf<Name>>>; // it is one of the lists
    return everyItem(ask, wanted, itemsPerRequestMax);
  }

  read<Name extends StreamName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    options: ReadOptions,
  ): AsyncIterableIterator<ItemOf<Name>> {
    const { after } = options;
    checkRequest(name, { ...request, after }, this.#shards.limits);
    this.#shards.beyond?.refuse(name);
    if ('runId' in request) return this.#shards.ofId(String(request.runId)).read(name, request, options);
    return readEvery(this.#shards, request, options) as AsyncIterableIterator<ItemOf<Name>>; // the one stream that is of no run
  }

  waitForEnd(runId: string, signal?: AbortSignal): Promise<AwaitedRun> {
    return this.#shards.ofId(runId).waitForEnd(runId, signal);
  }
}
