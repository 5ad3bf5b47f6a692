// Live: answers that change with the runs are asked for again when something was committed.
//
// Always true: a connection reads the feed of all runs once, however many lists are open, and not at all while none is; a list
// is asked for again at most once a second. Whoever may not read the feed, without the scope or by a token for one run or
// workflow, asks every few seconds instead, and so does everybody where there is no feed of all runs. Whoever signs in again reads it
// again.

import type { CallName, StreamState } from 'heddle/wire';
import { useEffect, useSyncExternalStore } from 'react';
import {
  codeOf,
  type HeddleConnection,
  useAnswer,
  useConnection,
  useIsSignedOut,
  useMay,
} from '../connection/connection.tsx';

const pauseMs = 1_000;
const askEveryMs = 3_000;

interface Feed {
  readonly listeners: Set<() => void>;
  readonly stateListeners: Set<() => void>;
  state: StreamState;
  stop: (() => void) | null;
}

const feeds = new WeakMap<HeddleConnection, Feed>();

function feedOf(connection: HeddleConnection): Feed {
  const found = feeds.get(connection);
  if (found !== undefined) return found;
  const feed: Feed = { listeners: new Set(), stateListeners: new Set(), state: 'open', stop: null };
  feeds.set(connection, feed);
  return feed;
}

function listen(connection: HeddleConnection, listener: () => void): () => void {
  const feed = feedOf(connection);
  feed.listeners.add(listener);
  feed.stop ??= read(connection, feed);
  return () => {
    feed.listeners.delete(listener);
    if (feed.listeners.size > 0) return;
    feed.stop?.();
    feed.stop = null;
  };
}

function read({ client, queries }: HeddleConnection, feed: Feed): () => void {
  const abort = new AbortController();
  const onState = (state: StreamState): void => {
    feed.state = state;
    for (const told of feed.stateListeners) told();
    // What was committed meanwhile comes with the stream; what changed otherwise does not.
    if (state === 'open') for (const listener of feed.listeners) listener();
  };
  const follow = async (): Promise<void> => {
    const events = client.follow('streamEvents', {}, { signal: abort.signal, forever: true, onState });
    while ((await events.next()).done !== true) for (const listener of feed.listeners) listener();
  };
  let stop = (): void => abort.abort();
  follow().catch((error: unknown) => {
    // Every run has an object of its own, and nobody reads them all.
    if (codeOf(error) === 'NOT_IN_THIS_PLACEMENT' && !abort.signal.aborted)
      stop = every(askEveryMs, () => {
        for (const listener of feed.listeners) listener();
      });
    // Refused for good: whoever shows who is signed in finds out why.
    else return queries.invalidateQueries({ queryKey: ['whoAmI'] });
    return undefined;
  });
  return () => stop();
}

/** Keeps the answers to these questions up to date while the component is shown. */
export function useLive(names: readonly CallName[], { enabled = true } = {}): void {
  const connection = useConnection();
  const { data: me } = useAnswer('whoAmI', {}, { enabled });
  const may = useMay();
  const hasFeed = useIsSignedOut() || me === undefined ? null : me.only === null && may('run:read');
  const key = names.join(' ');
  useEffect(() => {
    if (!enabled || hasFeed === null) return undefined;
    const ask = (): void => {
      for (const name of key.split(' ')) void connection.queries.invalidateQueries({ queryKey: [name] });
    };
    return hasFeed ? listenWithPauses(connection, ask) : every(askEveryMs, ask);
  }, [connection, key, enabled, hasFeed]);
}

/** Whatever happens within a second is one thing. */
function listenWithPauses(connection: HeddleConnection, ask: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const stop = listen(connection, () => {
    timer ??= setTimeout(() => {
      timer = null;
      ask();
    }, pauseMs);
  });
  return () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}

function every(ms: number, ask: () => void): () => void {
  const timer = setInterval(ask, ms);
  return () => clearInterval(timer);
}

/** Whether the feed can be read now. */
export function useFeedState(): StreamState {
  const feed = feedOf(useConnection());
  return useSyncExternalStore(
    (listener) => {
      feed.stateListeners.add(listener);
      return () => feed.stateListeners.delete(listener);
    },
    () => feed.state,
  );
}
