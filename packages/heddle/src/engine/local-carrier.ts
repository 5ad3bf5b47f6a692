// Local carrier: the operations of the engine in this process. A request is checked here, once, by the table; one that came
// over HTTP was checked there.
//
// Always true: every operation of the engine has exactly one performer.

import type { Carrier, ItemOf, ListedOf, ListName, ReadOptions, StreamName, Wanted } from '../operations/carrier.ts';
import { checkRequest } from '../operations/check-request.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { type AnswerOf, type OperationName, operations, type RequestOf } from '../operations/operations.ts';
import { itemsPerRequestMax, type Page } from '../operations/parts.ts';
import type { AwaitedRun } from '../operations/run-results.ts';
import { artifactPerformers } from './artifacts.ts';
import type { Parts } from './assemble.ts';
import { callbackPerformers } from './callbacks.ts';
import { cataloguePerformers } from './catalogue.ts';
import { creditPerformers } from './credits.ts';
import { definitionPerformers } from './definitions.ts';
import { draftPerformers } from './drafts.ts';
import { eventPerformers } from './events.ts';
import { readFeed } from './feed.ts';
import { insidePerformers } from './inside.ts';
import { nodeFigurePerformers } from './node-figures.ts';
import { overviewPerformers } from './overview.ts';
import { type Call, type EngineOperation, notHere, type Performers } from './performer.ts';
import { previewPerformers } from './previews.ts';
import { promptPerformers } from './prompts.ts';
import { readEvents } from './read-events.ts';
import { readTrace } from './read-trace.ts';
import { retentionPerformers } from './retention.ts';
import { runPerformers, waitForEnd } from './runs.ts';
import { secretPerformers } from './secrets.ts';
import { taskPerformers } from './tasks.ts';
import { triggerPerformers } from './triggers.ts';
import { upkeepPerformers } from './upkeep.ts';

const performers: Performers<EngineOperation> = {
  ...definitionPerformers,
  ...cataloguePerformers,
  ...draftPerformers,
  ...runPerformers,
  ...previewPerformers,
  ...insidePerformers,
  ...promptPerformers,
  ...eventPerformers,
  ...triggerPerformers,
  ...creditPerformers,
  ...taskPerformers,
  ...artifactPerformers,
  ...secretPerformers,
  ...callbackPerformers,
  ...retentionPerformers,
  ...overviewPerformers,
  ...nodeFigurePerformers,
  ...upkeepPerformers,
};

/** As whoever looks one up by its name sees it. */
type AnyPerformer = (parts: Parts, request: unknown, call: Call) => unknown;
const byName: Readonly<Partial<Record<string, AnyPerformer>>> = performers as Readonly<Record<string, AnyPerformer>>; // each of its own types

const table: Readonly<Record<OperationName, AnyOperation>> = operations;
const noOptions: Call = {};
/** More than any list has, and less than a store cannot count. */
const everyItem = 1_000_000_000;

export class LocalCarrier implements Carrier {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async call<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    call: Call = noOptions,
  ): Promise<AnswerOf<Name>> {
    const performer = this.#admit(name);
    checkRequest(name, request, this.#parts.host.limits);
    const answer = await performer(this.#parts, request, call); // returned as it is, it would take two turns more
    return answer as AnswerOf<Name>; // as `Performers` has it
  }

  /** Of a request that was checked by the table. */
  readonly perform = async <Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    call: Call = noOptions,
  ): Promise<AnswerOf<Name>> => {
    const answer = await this.#admit(name)(this.#parts, request, call); // as above
    return answer as AnswerOf<Name>; // as above
  };

  /** An engine that only looks, or was closed, refuses what would change something, whatever the request says. */
  #admit(name: OperationName): AnyPerformer {
    if (table[name].changes) this.#parts.host.inbox.refuseChange();
    const performer = byName[name];
    if (performer === undefined) throw notHere(name);
    return performer;
  }

  async list<Name extends ListName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after' | 'limit'>,
    { limit, ...wanted }: Wanted = {},
  ): Promise<readonly ListedOf<Name>[]> {
    const asked = { ...wanted, ...request };
    const checked = isCount(limit) && limit > itemsPerRequestMax ? itemsPerRequestMax : limit;
    checkRequest(name, { ...asked, limit: checked }, this.#parts.host.limits);
    // All in one piece: nothing is carried anywhere.
    const page = await this.perform(name, { ...asked, limit: limit ?? everyItem } as RequestOf<Name>); // it was checked
    return (page as Page<ListedOf<Name>>).items; // it is one of the lists
  }

  read<Name extends StreamName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    options: ReadOptions,
  ): AsyncIterableIterator<ItemOf<Name>> {
    const { after } = options;
    checkRequest(name, { ...request, after }, this.#parts.host.limits);
    return readers[name](this.#parts, request, options) as AsyncIterableIterator<ItemOf<Name>>; // see `Readers`
  }

  waitForEnd(runId: string, signal?: AbortSignal): Promise<AwaitedRun> {
    return waitForEnd(this.#parts.host, runId, signal);
  }
}

const isCount = (limit: unknown): limit is number => Number.isSafeInteger(limit);

type Readers = {
  readonly [Name in StreamName]: (
    parts: Parts,
    request: Omit<RequestOf<Name>, 'after'>,
    options: ReadOptions,
  ) => AsyncIterableIterator<ItemOf<Name>>;
};

const readers: Readers = {
  streamRunEvents: ({ host }, { runId }, options) => readEvents(host, runId, options),
  streamRunTrace: ({ host }, { runId }, options) => readTrace(host, runId, options),
  streamEvents: ({ host }, where, options) => readFeed(host, { ...options, ...where }),
};
