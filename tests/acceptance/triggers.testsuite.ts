// What the acceptance tests of events and triggers share: a store that fails when a test says so, and looks at what was
// started.

import type { ErrorContext } from '../../packages/heddle/src/actor/observers.ts';
import type { Commit, Store } from '../../packages/heddle/src/actor/ports.ts';
import { StoreError } from '../../packages/heddle/src/actor/store-error.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';

type Commits = { commit: Store['commit'] };
type Lists = { listRecords: Store['listRecords'] };

const onFire = (): StoreError => new StoreError('STORE_FAILED', 'the disk is on fire');

/** Makes commits fail that fit, as if the process died before them; the answer mends the store. */
export function failCommits(store: Store, doomed: (commit: Commit) => boolean): () => void {
  const broken = store as Commits;
  const commit = store.commit.bind(store);
  broken.commit = (one) => {
    if (doomed(one)) throw onFire();
    return commit(one);
  };
  return () => {
    broken.commit = commit;
  };
}

/** Makes looking for records of a kind fail; the answer mends the store. */
export function failLooks(store: Store, kind: string): () => void {
  const broken = store as Lists;
  const listRecords = store.listRecords.bind(store);
  broken.listRecords = (asked, query) => {
    if (asked === kind) throw onFire();
    return listRecords(asked, query);
  };
  return () => {
    broken.listRecords = listRecords;
  };
}

export interface Told {
  readonly onError: (error: Error, context: ErrorContext) => void;
  readonly codes: () => string[];
  /** What each was about. */
  readonly contexts: () => ErrorContext[];
}

/** What `onError` was told. */
export function listening(): Told {
  const told: { error: Error; context: ErrorContext }[] = [];
  return {
    onError: (error, context) => void told.push({ error, context }),
    codes: () => told.map(({ error }) => ('code' in error ? String(error.code) : error.message)),
    contexts: () => told.map(({ context }) => context),
  };
}

/** The outputs of all runs of a workflow, in the order of their starts. */
export async function outputsOf({ engine }: TestEngine, workflow: string): Promise<unknown[]> {
  const runs = await engine.runs({ subRuns: true, workflow, limit: 1_000 });
  return runs.map(({ output }) => output).toReversed();
}

export async function keysOf(store: Store, kind: string): Promise<string[]> {
  const rows = await store.listRecords(kind, { limit: 1_000 });
  return rows.map(({ key }) => key);
}
