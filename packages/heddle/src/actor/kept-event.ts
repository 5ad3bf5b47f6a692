// Kept event: how a published event lies in the store until it expires: by name, correlation and time for those who
// wait for it, and by its id, so that it is published once.

import { shortHash } from '../base/hash.ts';
import { stableStringify } from '../base/stable-json.ts';
import { eventKey } from '../core/notes.ts';
import type { RecordRow, RecordWrite } from './ports.ts';
import type { PublishedEvent } from './publication.ts';

export const eventKind = 'event';
export const eventIdKind = 'event-id';

/** What is known of an id that was published under. */
export interface EventIdNote {
  readonly fingerprint: string;
  readonly expiresAt: number;
}

/** Among equals they lie in the order of `place`, so that the oldest comes first. */
export const keptEventKey = ({ event, correlation, id }: PublishedEvent, place: string): string =>
  `${eventKey(event, correlation)}${place}\n${id}`;

export function eventRecords({
  event,
  key,
}: {
  readonly event: PublishedEvent;
  readonly key: string;
}): readonly [event: RecordWrite, id: RecordWrite] {
  const { id, expiresAt } = event;
  const note: EventIdNote = { fingerprint: fingerprintOf(event), expiresAt };
  return [
    { kind: eventKind, key, value: JSON.stringify(event), dueAt: expiresAt },
    { kind: eventIdKind, key: id, value: JSON.stringify(note), dueAt: expiresAt },
  ];
}

/** Tells a repeated event from another one. */
export function fingerprintOf({ event, correlation, payload }: PublishedEvent): string {
  return shortHash(stableStringify({ event, correlation, payload }));
}

export const makeRemoval = ({ kind, key }: RecordRow): RecordWrite => ({ kind, key, value: null, dueAt: null });

/** The name and correlation of a kept event, or of a wait for one: what their keys begin with. */
export function prefixOfEventKey(key: string): string {
  return key.slice(0, key.indexOf('\n', key.indexOf('\n') + 1) + 1);
}
