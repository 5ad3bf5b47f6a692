// Shared: what every shard of a fleet has a copy of: definitions, triggers, callbacks, secrets, rules of retention. They are
// changed at home; the others are given what is there now. Rule SH8.
//
// Always true: a copy is what home had at some time, never anything else; what a shard has missed it is given when it is
// opened.

import { readAllRecords } from '../actor/all-records.ts';
import type { DefinitionRow, RecordRow, Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { Turns } from '../actor/turns.ts';
import type { Problem } from '../base/problem.ts';
import { type SharedKind, sharedKinds } from '../engine/shard-duties.ts';
import type { StoredCallback } from '../outbound/callbacks/callback.ts';
import type { Shard } from './shards.ts';

const definitionsPerPage = 100;

/** Before a shard is loaded: what it missed while it was not there, or was not yet. */
export async function catchUp(home: Store, shard: Store): Promise<void> {
  for (const row of await allDefinitions(home)) {
    const known = await shard.findDefinition(row.id, row.version);
    if (known === null) await shard.saveDefinition(row);
  }
  for (const kind of sharedKinds) await catchUpKind(await readAllRecords(home, kind), shard, kind);
}

/** Of one kind, as home has it. */
export async function catchUpKind(home: readonly RecordRow[], shard: Store, kind: SharedKind): Promise<void> {
  const there = new Map((await readAllRecords(shard, kind)).map((row) => [row.key, row]));
  const changed: { kind: string; key: string; value: string | null; dueAt: null }[] = [];
  for (const { key, value } of home) {
    const known = there.get(key);
    there.delete(key);
    const copy = kind === 'callback' ? await callbackFor(shard, value, known) : value;
    if (known?.value !== copy) changed.push({ kind, key, value: copy, dueAt: null });
  }
  for (const key of there.keys()) changed.push({ kind, key, value: null, dueAt: null });
  if (changed.length > 0) await shard.commit(sideCommit({ records: changed }));
}

/** From where on it is told is a place in the feed of each shard. */
async function callbackFor(shard: Store, value: string, known: RecordRow | undefined): Promise<string> {
  const callback = JSON.parse(value) as StoredCallback; // as the office wrote it
  const from = known ? (JSON.parse(known.value) as StoredCallback).from : await shard.feedEnd(); // as above
  return JSON.stringify({ ...callback, from });
}

async function allDefinitions(store: Store): Promise<readonly DefinitionRow[]> {
  const all: DefinitionRow[] = [];
  for (let after: DefinitionRow | undefined; ; after = all.at(-1)) {
    const page = await store.listDefinitions({ limit: definitionsPerPage, ...(after ? { after } : {}) });
    for (const row of page) all.push(row);
    if (page.length < definitionsPerPage) return all;
  }
}

type Other = Pick<Shard, 'peer' | 'absence'>;

/** Gives the others what has changed at home. */
export class SharedChanges {
  readonly #home: Store;
  readonly #others: readonly Other[];
  readonly #turns = new Turns();

  constructor(home: Store, others: readonly Other[]) {
    this.#home = home;
    this.#others = others;
  }

  /** One that is not there is given it when it is opened. */
  async #give(give: (shard: Other) => Promise<void>): Promise<void> {
    await Promise.all(this.#others.filter(({ absence }) => absence === null).map(give));
  }

  /** All have it when this answers. */
  async definition(id: string, version: number): Promise<void> {
    const row = await this.#home.findDefinition(id, version); // which never changes
    if (row) await this.#give(({ peer }) => peer.adoptDefinition(row));
  }

  /** So that whoever starts it hears why it is not there, whatever shard is asked. */
  refusedDefinition(source: unknown, problems: readonly Problem[]): Promise<void> {
    return this.#give(({ peer }) => peer.noteRefusedDefinition(source, problems));
  }

  /** SH8: as it is at home by now: whichever of two changes comes last, all end with the same. */
  async record(kind: SharedKind, key: string): Promise<void> {
    await this.#turns.take(`${kind}/${key}`, async () => {
      const row = await this.#home.readRecord(kind, key);
      await this.#give(({ peer }) => peer.adoptRecord(kind, key, row?.value ?? null));
    });
  }
}
