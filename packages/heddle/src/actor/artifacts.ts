// Artifacts: bytes of any kind, which runs hand on as references `{id, mimeType}`. A store keeps the bytes by their
// content; a record for each run that put them says whose they are. Rules AR….
//
// Always true: what a record names was durable before it; nothing is read without such a record; a run that was deleted has
// none.

import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { isObjectReference, type ObjectReference } from '../base/object-reference.ts';
import { gateOf } from './artifact-gate.ts';
import type { RecordWrite, RunRow, Store } from './ports.ts';
import { valueOf } from './record-value.ts';
import { sideCommit } from './side-writer.ts';
import { StoreError } from './store-error.ts';

/** Bytes, or a text, which is kept as UTF-8. */
export type ArtifactData = Uint8Array | string;

export interface Artifact {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** In place of a run's id: put by a caller of the engine, for every run. */
export const everyRun = '*';

const kind = 'artifact';
/** `<id>/<owner>`: who has put it, to be found by the artifact. */
const claimKind = 'artifact-claim';
/** By id: to be looked at whether anybody has a claim on it still. */
const checkKind = 'artifact-check';
const mimeTypePattern = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/;
const mimeTypeLengthMax = 255;
const recordsPerPage = 1_000;

/** What a record says about an artifact. */
interface Entry {
  readonly mimeType: string;
  /** How many. */
  readonly bytes: number;
}

export interface Claim {
  /** A run, or every run. */
  readonly owner: string;
  readonly mimeType: string;
  readonly bytesMax: number;
  /** Where that limit was set. */
  readonly limitOrigin: string;
}

/** Another attempt with the same would fail in the same way. */
class ArtifactError extends HeddleError {
  override name = 'ArtifactError';
  readonly retryable = false;
}

/** AR2: what is put is durable, with whose it is, before this answers; what is neither bytes nor text is refused. */
export async function putArtifact(store: Store, data: ArtifactData, claim: Claim): Promise<ObjectReference> {
  const { owner, mimeType } = claim;
  refuseMimeType(mimeType);
  const bytes = toBytes(data, claim);
  // AR10: what is put for a run is stored before its deletion, which removes it, or finds the run gone.
  return gateOf(store.artifacts).whilePuttingFor(owner, async () => {
    const owners = owner === everyRun ? [owner] : await runAndCallers(store, owner);
    const id = await store.artifacts.put(bytes);
    const entry: Entry = { mimeType, bytes: bytes.length };
    const value = JSON.stringify(entry);
    const records = owners.flatMap((each) => [
      { kind, key: `${each}/${id}`, value, dueAt: null },
      { kind: claimKind, key: `${id}/${each}`, value: '{}', dueAt: null },
    ]);
    await store.commit(sideCommit({ records }));
    return { id, mimeType };
  });
}

/** AR7: what a sub-run puts is also its callers', up to the root: a child may answer with a reference. */
async function runAndCallers(store: Store, runId: string): Promise<readonly string[]> {
  const run = await store.readRun(runId);
  if (run === null)
    throw new ArtifactError('RUN_NOT_FOUND', `Expected run ${runId}, which an artifact is put for, but there is none`);
  const runs = [runId];
  for (let row: RunRow | null = run; row?.parentRunId; row = await store.readRun(row.parentRunId))
    runs.push(row.parentRunId);
  return runs;
}

/** AR4: what none of the owners has put is not found, whoever else has it. */
export async function getArtifact(
  store: Store,
  reference: ObjectReference,
  owners: readonly string[],
): Promise<Artifact> {
  refuseReference(reference);
  const { id } = reference;
  for (const owner of owners) {
    const record = await store.readRecord(kind, `${owner}/${id}`);
    if (record === null) continue;
    const { mimeType } = valueOf(record) as Entry; // `putArtifact` wrote it.
    return { bytes: await mustRead(store, id), mimeType };
  }
  const message = `Expected an artifact of ${nameOwners(owners)}, but none of them has put ${id}`;
  throw new ArtifactError('ARTIFACT_NOT_FOUND', message);
}

/** Whether this owner has put it; of a run, also if a run below it has. */
export async function isArtifactOf(store: Store, owner: string, id: string): Promise<boolean> {
  return (await store.readRecord(kind, `${owner}/${id}`)) !== null;
}

/** Who has put it, a page of them. */
export async function ownersOfArtifact(store: Store, id: string): Promise<readonly string[]> {
  const prefix = `${id}/`;
  const claims = await store.listRecords(claimKind, { prefix, limit: recordsPerPage });
  return claims.map(({ key }) => key.slice(prefix.length));
}

/** By the reference alone: for whoever may read everything. */
export async function getAnyArtifact(store: Store, reference: ObjectReference): Promise<Artifact> {
  refuseReference(reference);
  const bytes = await store.artifacts.get(reference.id);
  if (bytes !== null) return { bytes, mimeType: reference.mimeType };
  throw new ArtifactError('ARTIFACT_NOT_FOUND', `Expected an artifact ${reference.id}, but nobody has put it`);
}

/** A page of what one owner has put, by id; all of it without a limit. */
export async function pageArtifacts(
  store: Store,
  owner: string,
  { after, limit = Number.POSITIVE_INFINITY }: { readonly after?: string; readonly limit?: number },
): Promise<readonly ObjectReference[]> {
  const found: ObjectReference[] = [];
  for await (const reference of listReferences(store, owner, after)) {
    if (found.length === limit) break;
    found.push(reference);
  }
  return found;
}

/** AR6: in the order of the owners, then of the ids; what several have put comes once. */
export async function listArtifacts(store: Store, owners: readonly string[]): Promise<readonly ObjectReference[]> {
  const found = new Map<string, ObjectReference>();
  for (const owner of owners) {
    for await (const reference of listReferences(store, owner)) {
      if (!found.has(reference.id)) found.set(reference.id, reference);
    }
  }
  return [...found.values()];
}

/** Gives up what a run has put, a page of it; whether there is nothing left. The bytes are looked at afterwards. */
export async function disclaimArtifacts(store: Store, owner: string, at: number): Promise<boolean> {
  const prefix = `${owner}/`;
  const found = await store.listRecords(kind, { prefix, limit: recordsPerPage });
  const records = found.flatMap(({ key }): RecordWrite[] => {
    const id = key.slice(prefix.length);
    return [
      { kind, key, value: null, dueAt: null },
      { kind: claimKind, key: `${id}/${owner}`, value: null, dueAt: null },
      { kind: checkKind, key: id, value: '{}', dueAt: at },
    ];
  });
  if (records.length > 0) await store.commit(sideCommit({ records }));
  return found.length < recordsPerPage;
}

/** AR8: bytes on which nobody has a claim any more are removed; of `limit` of them; whether that was all. */
export async function removeUnclaimed(store: Store, at: number, limit: number): Promise<boolean> {
  const found = await store.dueRecords(checkKind, at, limit);
  for (const { key: id } of found) {
    await gateOf(store.artifacts).whileRemoving(async () => {
      // The record of the look goes last: after a crash it is looked at again.
      if (!(await isClaimed(store, id))) await store.artifacts.remove(id);
      await store.commit(sideCommit({ records: [{ kind: checkKind, key: id, value: null, dueAt: null }] }));
    });
  }
  return found.length < limit;
}

/** What a crash left between the bytes and the record of whose they are; answers with where to continue, null at the end. */
export async function removeOrphans(store: Store, after: string | null, limit: number): Promise<string | null> {
  const ids = await store.artifacts.list(after, limit);
  for (const id of ids) {
    if (await isClaimed(store, id)) continue;
    await gateOf(store.artifacts).whileRemoving(async () => {
      if (!(await isClaimed(store, id))) await store.artifacts.remove(id);
    });
  }
  return ids.length < limit ? null : (ids.at(-1) ?? null);
}

async function isClaimed(store: Store, id: string): Promise<boolean> {
  return (await store.listRecords(claimKind, { prefix: `${id}/`, limit: 1 })).length > 0;
}

async function* listReferences(store: Store, owner: string, afterId?: string): AsyncGenerator<ObjectReference> {
  const prefix = `${owner}/`;
  for (let after = afterId === undefined ? undefined : prefix + afterId; ; ) {
    const query = { prefix, limit: recordsPerPage, ...given({ after }) };
    const records = await store.listRecords(kind, query);
    for (const record of records) {
      const { mimeType } = valueOf(record) as Entry; // `putArtifact` wrote it.
      yield { id: record.key.slice(prefix.length), mimeType };
    }
    after = records.at(-1)?.key;
    if (records.length < recordsPerPage) return;
  }
}

async function mustRead(store: Store, id: string): Promise<Uint8Array> {
  const bytes = await store.artifacts.get(id);
  if (bytes !== null) return bytes;
  throw new StoreError(
    'STORE_DAMAGED',
    `Expected the store to hold artifact ${id}, but its bytes are missing. Put a backup of the artifacts in their place.`,
  );
}

function toBytes(data: unknown, claim: Claim): Uint8Array {
  if (typeof data === 'string') return withinLimit(new TextEncoder().encode(data), claim);
  if (!ArrayBuffer.isView(data)) {
    const found = data === null ? 'null' : typeof data;
    const message = `Expected the data of an artifact to be bytes (Uint8Array) or a text, but found ${found}`;
    throw new ArtifactError('ARTIFACT_INVALID', message);
  }
  const view = withinLimit(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), claim);
  return new Uint8Array(view); // Whoever put it may change theirs while it is written.
}

/** AR3: more than `artifactBytesMax` is refused, and nothing of it is stored. */
function withinLimit(bytes: Uint8Array, { bytesMax, limitOrigin }: Claim): Uint8Array {
  if (bytes.length <= bytesMax) return bytes;
  const message = `Expected at most ${bytesMax} bytes in an artifact by the limit artifactBytesMax, but found ${bytes.length}; ${limitOrigin}`;
  throw new ArtifactError('LIMIT_EXCEEDED', message, { limit: 'artifactBytesMax' });
}

function refuseMimeType(mimeType: unknown): void {
  const isText = typeof mimeType === 'string';
  if (isText && mimeType.length <= mimeTypeLengthMax && mimeTypePattern.test(mimeType)) return;
  const found = isText ? JSON.stringify(mimeType.slice(0, mimeTypeLengthMax)) : typeof mimeType;
  throw new ArtifactError('ARTIFACT_INVALID', `Expected a MIME type such as "image/png", but found ${found}`);
}

/** AR1: a reference is an object with the id of the bytes and their MIME type. */
function refuseReference(reference: unknown): void {
  if (isObjectReference(reference)) return;
  const found = reference === null ? 'null' : typeof reference === 'object' ? 'another object' : typeof reference;
  const message = `Expected a reference {id, mimeType} with the SHA-256 of an artifact as id, but found ${found}`;
  throw new ArtifactError('ARTIFACT_INVALID', message);
}

function nameOwners(owners: readonly string[]): string {
  const runs = owners.filter((owner) => owner !== everyRun);
  return `run ${runs.join(' or ')}, or one for every run`;
}
