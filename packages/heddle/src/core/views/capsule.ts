// Capsule: a run to take along: its definition, its drawing and its journal, with chosen values redacted, sealed by hashes.
//
// Always true: what `openCapsule` answers with is what `sealCapsule` has made; one that was changed is refused whole.

import { sha256Base64url } from '../../base/hash.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { RunEvent } from '../run-event.ts';
import type { Drawing } from './drawing.ts';
import { Redaction } from './redaction.ts';

export interface CapsuleHead {
  readonly format: 'heddle-capsule';
  readonly formatVersion: 1;
  readonly runId: string;
  readonly exportedAt: number;
  readonly definition: JsonObject;
  readonly drawing: Drawing;
  /** The names whose values were taken out. */
  readonly redacted: readonly string[];
}

export interface Capsule extends CapsuleHead {
  readonly events: readonly RunEvent[];
  /** The hash of all but the events, then one for each commit, which covers the hash before it. */
  readonly chain: readonly string[];
}

export interface CapsuleParts extends Pick<CapsuleHead, 'definition' | 'drawing'> {
  readonly events: readonly RunEvent[];
  readonly exportedAt: number;
  /** Paths such as `input.card.number`: what they name is taken out. */
  readonly redact?: readonly string[];
}

export function sealCapsule({ definition, drawing, events, exportedAt, redact = [] }: CapsuleParts): Capsule {
  const [first] = events;
  if (!first) throw new HeddleError('EVENTS_INCOMPLETE', 'Expected the journal of a run, but it has no event');
  const redaction = new Redaction(redact, events);
  const head: CapsuleHead = {
    format: 'heddle-capsule',
    formatVersion: 1,
    runId: first.runId,
    exportedAt,
    definition: redaction.ofDefinition(definition),
    drawing,
    redacted: redact,
  };
  const told = events.map((event) => redaction.ofEvent(event));
  return { ...head, events: told, chain: [...chainOf(head, told)] };
}

/** CP3: nothing is drawn of a capsule that does not match its hashes; it is said where that begins. */
export function openCapsule(text: string): Capsule {
  const { events, chain, ...head } = readCapsule(text);
  let place = 0;
  for (const hash of chainOf(head, events)) {
    if (chain[place] !== hash) throw tampered(place === 0 ? 'its beginning' : `commit ${place}`);
    place++;
  }
  if (chain.length !== place) throw tampered('its end');
  return { ...head, events, chain };
}

function readCapsule(text: string): Capsule {
  try {
    const capsule = JSON.parse(text) as Partial<Capsule>; // what of it is there is checked
    if (capsule.format === 'heddle-capsule' && Array.isArray(capsule.events) && Array.isArray(capsule.chain))
      return capsule as Capsule; // the hashes say the rest
  } catch {
    // As if it had no format.
  }
  throw tampered('its beginning');
}

function tampered(where: string): HeddleError {
  const message = `Expected the capsule to be as it was exported, but it was changed at ${where}`;
  return new HeddleError('CAPSULE_TAMPERED', message, { hint: 'Ask for the run to be exported again.' });
}

function* chainOf(head: CapsuleHead, events: readonly RunEvent[]): Generator<string> {
  let hash = sha256Base64url(JSON.stringify(head));
  yield hash;
  for (let start = 0; start < events.length; ) {
    const { seq } = events[start] as RunEvent; // within the list
    let end = start;
    while (events[end]?.seq === seq) end++;
    hash = sha256Base64url(`${hash}\n${JSON.stringify(events.slice(start, end))}`);
    yield hash;
    start = end;
  }
}
