// Called shard: a shard that another process owns, as the fleet sees it: what would change something, or what only its owner
// knows, is asked by a call; what is only read is read from its store. Rule OW9.

import type { LocalEngine } from '../../engine/local-engine.ts';
import { peerOf } from '../../engine/peers.ts';
import { isAborted } from '../../engine/read-events.ts';
import type { ItemOf, ReadOptions, StreamName } from '../../operations/carrier.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import { type OperationName, operations, type RequestOf } from '../../operations/operations.ts';
import { askedShard } from '../asked-shard.ts';
import { type Placed, placeOf } from '../seat.ts';
import type { Shard } from '../shards.ts';
import type { Exchanges } from './exchanges.ts';

export interface CalledShardOptions {
  readonly shard: number;
  readonly exchanges: Pick<Exchanges, 'ask' | 'past'>;
  /** An engine that only looks at its store. */
  readonly reader: LocalEngine;
}

const table: Readonly<Record<OperationName, AnyOperation>> = operations;

export function calledShard(options: CalledShardOptions): Shard {
  const { shard, exchanges, reader } = options;
  const asked = askedShard(
    (name, args = [], signal) => exchanges.ask(shard, [name, args], signal),
    (name, request, how) => readStored(options, [name, request, how]),
  );
  const stored = peerOf(reader.parts);
  return {
    ...asked,
    perform: (name, request, call) => (isStored(name) ? reader : asked).perform(name, request, call),
    peer: {
      ...asked.peer,
      hasKey: (scope, key) => stored.hasKey(scope, key),
      artifact: (reference, owners) => stored.artifact(reference, owners),
    },
    newestEvent: () => reader.newestEvent(),
    pendingDeliveries: () => reader.pendingDeliveries(),
  };
}

/** OW9: whatever its store has, it has for good. */
function isStored(name: OperationName): boolean {
  const { changes = false, ofOwner = false } = table[name];
  return !changes && !ofOwner;
}

type Reading<Name extends StreamName> = readonly [Name, Omit<RequestOf<Name>, 'after'>, ReadOptions];

/** What there is, then what comes: whoever owns the shard, it is looked for behind the last one. */
async function* readStored<Name extends StreamName>(
  { shard, exchanges, reader }: CalledShardOptions,
  [name, request, { follow = true, signal, ...from }]: Reading<Name>,
): AsyncIterableIterator<ItemOf<Name>> {
  const { store } = reader.parts.host;
  const place: { after?: string } = { ...from };
  while (!isAborted(signal)) {
    const end = await store.feedEnd();
    const isLast = !follow || (await hasEnded(reader, request));
    for await (const item of reader.carrier.read(name, request, {
      ...place,
      ...(signal && { signal }),
      follow: false,
    })) {
      yield item;
      place.after = placeOf(item as Placed); // of every stream
      if ((item as { readonly type?: string }).type === 'trace.dropped') return; // no more will come
    }
    if (isLast) return;
    if (name === 'streamEvents' && rowOf(place.after) < end) place.after = `${end}.${lastOfRow}`; // nothing of it is read again
    await exchanges.past(shard, end, signal);
  }
}

async function hasEnded(reader: LocalEngine, request: object): Promise<boolean> {
  if (!('runId' in request)) return false;
  return (await reader.perform('waitForRun', { runId: String(request.runId), waitMs: 0 })).ended;
}

/** More than a row has. */
const lastOfRow = 999_999_999_999_999;

const rowOf = (after = '0.0'): number => Number(after.slice(0, after.indexOf('.')));
