// Far object: a shard whose engine is in another object, as this one sees it; and its store, to be read.

import type { Store } from '../actor/ports.ts';
import { isWriteName } from '../actor/write-queue.ts';
import { sha256Base64url } from '../base/hash.ts';
import type { Engine } from '../engine/engine.ts';
import { askedShard, type ShardQuestion, webhooksAt } from '../fleet/asked-shard.ts';
import { type CrossingError, unpackError } from '../fleet/crossing-error.ts';
import { type AskedOfPeer, isNewEach } from '../fleet/far-peer.ts';
import { isRepeatable } from '../fleet/seat.ts';
import type { Shard } from '../fleet/shards.ts';
import type { ItemOf, ReadOptions, StreamName } from '../operations/carrier.ts';
import type { OperationName, RequestOf } from '../operations/operations.ts';
import { type Ask, askingAgain, askObject, reached, stubOf } from './object-stub.ts';
import type { Place } from './place.ts';
import type { ObjectNamespace } from './platform.ts';

export function farObject(objects: ObjectNamespace, place: Place): Shard & Pick<Engine, 'webhooks'> {
  const once = askObject(objects, place);
  const again = askingAgain(once);
  const asked = askedShard(
    (name, args = [], signal) => (isNew(name, args) ? once : again)(name, args, signal),
    (name, request, options) => readFar(objects, place, [name, request, options]),
  );
  return { ...asked, webhooks: webhooksAt(asked) };
}

/** Whether asking it again may do it again. */
function isNew(name: ShardQuestion, args: readonly unknown[]): boolean {
  if (name === 'perform') return !isRepeatable(args[0] as OperationName, args[1]); // as `askedShard` sends them
  return name === 'receiveWebhook' || (name === 'peer' && isNewEach(args[0] as AskedOfPeer)); // as above
}

/** Every method of a store, asked there: what only reads is asked again. What is no method is what a store of an object has. */
export function farStore(once: Ask): Store {
  const again = askingAgain(once);
  const here: Readonly<Record<PropertyKey, unknown>> = {
    hash: sha256Base64url,
    shard: undefined,
    fence: undefined,
    loadRuns: undefined,
    upkeep: undefined,
    artifacts: undefined,
    close: () => undefined,
  };
  const there =
    (method: string) =>
    (...args: readonly unknown[]) =>
      (isWriteName(method) ? once : again)('store', [method, args]);
  const isPromise = (name: PropertyKey): boolean => name === 'then'; // whoever awaits it looks whether it is one
  return new Proxy(
    {},
    {
      get: (_, name) => (name in here ? here[name] : isPromise(name) ? undefined : there(String(name))),
    },
  ) as Store; // whatever it is asked
}

/** A line of a stream, as JSON. */
export type SentItem = { readonly item: unknown } | { readonly error: CrossingError };

type Asked<Name extends StreamName> = readonly [Name, Omit<RequestOf<Name>, 'after'>, ReadOptions];

async function* readFar<Name extends StreamName>(
  objects: ObjectNamespace,
  place: Place,
  [name, request, { signal, ...options }]: Asked<Name>,
): AsyncIterableIterator<ItemOf<Name>> {
  if (signal?.aborted) return;
  const asked = stubOf(objects, place).stream(place, { name, args: [request, options] });
  const reader = (await reached(asked, place)).pipeThrough(new TextDecoderStream()).getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined); // it may be over
  signal?.addEventListener('abort', stop, { once: true });
  try {
    let rest = '';
    for (;;) {
      const { done, value } = await reached(reader.read(), place);
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield itemOf(JSON.parse(line) as SentItem) as ItemOf<Name>; // as the object sends them
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

function itemOf(sent: SentItem): unknown {
  if ('error' in sent) throw unpackError(sent.error);
  return sent.item;
}
