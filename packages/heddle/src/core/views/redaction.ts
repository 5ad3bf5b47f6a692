// Redaction: takes chosen values out of a journal that is given away: where they are named, and wherever else they were copied.
//
// Always true: what an event needs to be applied (ids, nodes, transitions, times) stays as it is.

import { HeddleError } from '../../base/heddle-error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { splitTarget } from '../../base/targets.ts';
import type { RunEvent } from '../run-event.ts';

const redactedText = '[redacted]';

/** Members of events that hold values of users. Of a state that was taken over, its own members of these names. */
const valueMembers: ReadonlySet<string> = new Set([
  'input',
  'output',
  'outputs',
  'payload',
  'result',
  'items',
  'writes',
  'context',
  'raw',
  'trigger',
  'tags',
  'error',
  'errors',
  'lastError',
  'failure',
  'reason',
  'title',
  'description',
  'correlation',
  'command',
]);

/** Those that may be anything, and so may be taken out whole. */
const anyValues: ReadonlySet<string> = new Set(['input', 'output', 'payload', 'result']);

/** Shorter ones stand everywhere by chance. */
const secretLengthMin = 4;

export class Redaction {
  /** The last names of the paths. */
  readonly #names: ReadonlySet<string>;
  /** Those of them that stand somewhere. */
  readonly #met = new Set<string>();
  /** What stood there: no text of the journal keeps it. The longest first. */
  readonly #secrets: readonly string[];

  /** CP2: of each path the last name counts: whatever it names is taken out, and every copy of it in any text. */
  constructor(paths: readonly string[], events: readonly RunEvent[]) {
    this.#names = new Set(paths.flatMap((path) => path.split('.').slice(-1)));
    const found = new Set<string>();
    if (this.#names.size > 0) for (const event of events) this.#collect(event as unknown as Json, 'event', found); // it came as JSON
    this.#secrets = [...found].toSorted((a, b) => b.length - a.length);
    // CP4: a name that stands nowhere is a mistake, and what was meant would be given away.
    for (const name of this.#names) if (!this.#met.has(name)) throw nothingNamed(name);
  }

  ofEvent(event: RunEvent): RunEvent {
    if (this.#names.size === 0) return event;
    return this.#eventMembers(event as unknown as JsonObject) as unknown as RunEvent; // of the same members
  }

  ofDefinition(definition: JsonObject): JsonObject {
    return this.#names.size === 0 ? definition : (this.#value(definition, false) as JsonObject); // an object stays one
  }

  /** Down to where values of users begin. */
  #eventMembers(value: Json): Json {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.#eventMembers(each));
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#eventMember(name, member)]));
  }

  #eventMember(name: string, member: Json): Json {
    if (name === 'writes' && Array.isArray(member)) return member.map((write) => this.#write(write));
    if (anyValues.has(name) && this.#names.has(name)) return redactedText;
    return valueMembers.has(name) ? this.#value(member, true) : this.#eventMembers(member);
  }

  #write(write: Json): Json {
    if (!Array.isArray(write) || typeof write[0] !== 'string' || write.length < 2) return write;
    return [write[0], this.#isNamedTarget(write[0]) ? redactedText : this.#value(write[1] ?? null, true)];
  }

  #value(value: Json, takesNames: boolean): Json {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') return this.#secrets.includes(String(value)) ? redactedText : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.#value(each, takesNames));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        takesNames && this.#names.has(name) ? redactedText : this.#value(member, takesNames),
      ]),
    );
  }

  #text(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, redactedText), text);
  }

  /** Texts and numbers at any depth below a name that is taken out. */
  #collect(value: Json, place: Place, found: Set<string>): void {
    if (typeof value === 'string' || typeof value === 'number') {
      if (place === 'named' && String(value).length >= secretLengthMin) found.add(String(value));
    } else if (Array.isArray(value)) {
      const isNamedWrite = place === 'value' && this.#isNamedTarget(value[0]);
      for (const each of isNamedWrite ? value.slice(1) : value)
        this.#collect(each, isNamedWrite ? 'named' : place, found);
    } else if (value !== null && typeof value === 'object') {
      for (const [name, member] of Object.entries(value))
        this.#collect(member ?? null, this.#placeOf(name, place), found);
    }
  }

  #placeOf(name: string, around: Place): Place {
    if (around === 'named') return 'named';
    if ((around === 'value' || anyValues.has(name)) && this.#isNamed(name)) return 'named';
    return around === 'value' || valueMembers.has(name) ? 'value' : 'event';
  }

  #isNamedTarget(target: Json | undefined): boolean {
    return typeof target === 'string' && splitTarget(target).some((key) => this.#isNamed(key));
  }

  #isNamed(name: string): boolean {
    if (!this.#names.has(name)) return false;
    this.#met.add(name);
    return true;
  }
}

function nothingNamed(name: string): HeddleError {
  return new HeddleError(
    'REDACTION_UNUSED',
    `Expected a value of the run named "${name}" to redact, but there is none`,
    {
      hint: 'Of a path the last name counts, such as number of input.card.number.',
    },
  );
}

/** Where in an event: among its own members, in a value of users, or below a name that is taken out. */
type Place = 'event' | 'value' | 'named';
