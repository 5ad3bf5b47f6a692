// Open: the store of a Durable Object, brought up to date. One object is one store: the platform sees to it that there is one of
// it at a time, and that its storage outlives it.

import type { ArtifactStore, Store } from '../../actor/ports.ts';
import { hashWith } from '../../base/hash.ts';
import { type NativeCrypto, nativeHashes } from '../sql/native-hashes.ts';
import { migrate } from '../sqlite/migrations.ts';
import { createSqliteStore } from '../sqlite/store.ts';
import { ObjectAlarm } from './object-alarm.ts';
import { ObjectArtifacts } from './object-artifacts.ts';
import { openObjectDriver } from './object-driver.ts';
import type { ObjectStorage } from './storage.ts';

export interface ObjectStoreOptions {
  /** Where artifacts are kept; in the storage of the object itself if absent. */
  readonly artifacts?: ArtifactStore;
  /** What secrets are made with: 32 bytes, the same as long as the store is. One is made and kept in the storage if absent. */
  readonly secretKey?: Uint8Array;
  /** `Date.now` if absent. */
  readonly now?: () => number;
}

export interface ObjectHost {
  readonly store: Store;
  /** Every commit sets it for what it leaves; whoever hears it sets it anew when its work is done. */
  readonly alarm: Pick<ObjectAlarm, 'know' | 'ring' | 'wakeAt' | 'expectWork'> & {
    /** For what the rows say, or soon if something is at work; null: nothing is left to be done. */
    readonly rearm: (isAtWork: boolean) => number | null;
  };
}

export function openObjectStore(storage: ObjectStorage, options: ObjectStoreOptions = {}): ObjectHost {
  useNativeHashes();
  const driver = openObjectDriver(storage);
  migrate(driver, driver.file);
  const alarm = new ObjectAlarm(storage, options.now ?? Date.now);
  driver.beforeCommit = () => alarm.set();
  const { artifacts = new ObjectArtifacts(storage), secretKey } = options;
  const store = createSqliteStore({
    driver,
    artifacts,
    secretKey: async () => secretKey ?? ownKey(storage),
    pause: () => new Promise((resolve) => void setTimeout(resolve, 0)),
  });
  // DO10: what is written tells the alarm first.
  const arming =
    <Args extends readonly unknown[], Answer>(expect: (...args: Args) => void, write: (...args: Args) => Answer) =>
    (...args: Args): Answer => {
      expect(...args);
      try {
        return write(...args);
      } catch (error) {
        alarm.forget();
        throw error;
      }
    };
  return {
    store: {
      ...store,
      commit: arming(
        (commit) => alarm.expect(commit),
        (commit) => store.commit(commit),
      ),
      deleteRuns: arming(
        (deletion) => alarm.expectDeletion(deletion),
        (deletion) => store.deleteRuns(deletion),
      ),
    },
    alarm: {
      know: (at) => alarm.know(at),
      ring: () => alarm.ring(),
      wakeAt: (at) => alarm.wakeAt(at),
      expectWork: () => alarm.expectWork(),
      rearm: (isAtWork) => alarm.rearm(driver, isAtWork),
    },
  };
}

/** The platform has Node's own, with the flag `nodejs_compat`. */
function useNativeHashes(): void {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } }; // as runtimes have it
  const crypto = process?.getBuiltinModule?.('node:crypto');
  if (crypto) hashWith(nativeHashes(crypto as NativeCrypto)); // it has that part
}

const keyName = 'heddle-key';

function ownKey(storage: ObjectStorage): Uint8Array {
  const known = storage.kv.get(keyName);
  if (known instanceof Uint8Array) return known;
  const made = crypto.getRandomValues(new Uint8Array(32));
  storage.kv.put(keyName, made);
  return made;
}
