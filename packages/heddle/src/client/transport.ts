// Transport: the carrier over HTTP: asks a server by the table of operations. Answers are what it says; problems are thrown
// as the errors that the engine threw.
//
// Always true: only what may be done twice is sent twice; what is no JSON is refused here, as an engine does it, instead of
// being changed on its way.

import { given } from '../base/given.ts';
import { wires } from '../http/wire.ts';
import type {
  CallOptions,
  Carrier,
  ItemOf,
  ListedOf,
  ListName,
  ReadOptions,
  StreamName,
  Wanted,
} from '../operations/carrier.ts';
import { checkRequest } from '../operations/check-request.ts';
import { tokensPerPage } from '../operations/inside.ts';
import { type AnswerOf, type OperationName, operationOf, type RequestOf } from '../operations/operations.ts';
import { eachItem, everyItem } from '../operations/pages.ts';
import { itemsPerRequestMax, type Page, type Paging } from '../operations/parts.ts';
import type { AwaitedRun } from '../operations/run-results.ts';
import { readAnswer, readBytes } from './answers.ts';
import { sentLimits, toSent } from './sent-json.ts';
import { WireClient, type WireOptions } from './wire-client.ts';

export interface TransportOptions extends Omit<WireOptions, 'headers'> {
  /** Where the server is: `http://127.0.0.1:4100`. */
  readonly url: string;
  /** How often a request that may be repeated is sent again when the connection breaks. Default: 2. */
  readonly retries?: number;
}

const retriesDefault = 2;
/** How long one request waits for the end of a run, before another asks again. */
const waitMs = 30_000;

export class Transport implements Carrier {
  readonly #wire: WireClient;
  readonly #retries: number;

  constructor({ retries = retriesDefault, ...options }: TransportOptions) {
    this.#wire = new WireClient(options);
    this.#retries = retries;
  }

  /** Asks, and answers with what the operation promises. */
  async call<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
  ): Promise<AnswerOf<Name>> {
    const { takes, takesBytes, answers } = operationOf(name);
    checkRequest(name, request, sentLimits);
    const sent = toSent(takes, request) as object; // a request is one
    const bytes = takesBytes ? (options.bytes ?? new Uint8Array()) : undefined;
    const how = { ...options, bytes, tries: this.#triesOf(name, sent) };
    const answer = await this.#wire.send(name, sent, how, answers.form === 'bytes' ? readBytes : readAnswer);
    return answer as AnswerOf<Name>; // the server answers by the same table
  }

  list<Name extends ListName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after' | 'limit'>,
    wanted: Wanted = {},
  ): Promise<readonly ListedOf<Name>[]> {
    const { after, limit, ...unknown } = wanted;
    const ask = (page: Paging) =>
      this.call(name, { ...unknown, ...request, ...page } as RequestOf<Name>) as Promise<Page<ListedOf<Name>>>; // one of the lists
    // What is no limit, the table refuses.
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
      return ask(wanted).then(({ items }) => items);
    return everyItem(ask, wanted, name === 'listTokens' ? tokensPerPage : itemsPerRequestMax);
  }

  read<Name extends StreamName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    { after, follow = true, signal }: ReadOptions,
  ): AsyncIterableIterator<ItemOf<Name>> {
    checkRequest(name, { ...request, after }, sentLimits);
    if (follow) return this.#wire.follow(name, request, given({ after: after ?? beginnings[name], signal }));
    const ask = (page: Paging) => this.call(pagesOf[name], { ...request, ...page } as never, { signal }); // of the same items
    return eachItem(
      ask as (page: Paging) => Promise<Page<ItemOf<Name>>>, // each stream has a list of the same items
      after === undefined ? {} : { after },
      itemsPerRequestMax,
    );
  }

  async waitForEnd(runId: string, signal?: AbortSignal): Promise<AwaitedRun> {
    for (;;) {
      const run = await this.call('waitForRun', { runId, waitMs }, { signal });
      if (run.ended) return run;
    }
  }

  /** Looking changes nothing, and neither does what is done twice under one key. */
  #triesOf(name: OperationName, request: object): number {
    const { repeatable } = operationOf(name);
    const members = request as Readonly<Record<string, unknown>>; // by the names of the table
    const isRepeatable =
      repeatable === undefined
        ? wires[name].method === 'GET'
        : repeatable === true || members[repeatable] !== undefined;
    return isRepeatable ? this.#retries + 1 : 1;
  }
}

/** What is there of a stream, a page at a time. */
const pagesOf = {
  streamRunEvents: 'listRunEvents',
  streamRunTrace: 'listRunTrace',
  streamEvents: 'listEvents',
} as const;

/** Where a stream begins if nobody says: that of all runs would begin with what comes. */
const beginnings = { streamRunEvents: undefined, streamRunTrace: undefined, streamEvents: 'start' } as const;
