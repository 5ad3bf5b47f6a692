// Flags: options that stand for members of requests. Their names, checks and descriptions follow from the table of
// operations; `spoken` has what a terminal says otherwise.
//
// Always true: a command finds the value under the name that the request has for it (`--status` gives `statuses`), so that
// it hands the members on as they are. Bounds that are limits of an engine are left to the engine.

import { Option } from 'commander';
import { type AnySchema, findNearest, type OperationName, operations } from 'heddle/operations';
import { collect, collectList, collectPair, durationMs, numberFrom, oneOf, timeFrom } from './parsers.ts';
import type { Member } from './request-flags.ts';

interface Spoken {
  readonly flag?: string;
  /** What the help calls the value. */
  readonly value?: string;
  /** Where the table is silent, or speaks to programs. */
  readonly about?: string;
  /** A moment is written as a date, or as a time from now: in the past (-1) or in the future (1). */
  readonly direction?: 1 | -1;
  /** Values may also stand in one word, with commas between them. */
  readonly hasCommas?: boolean;
  /** The name of the value, where another option has the name of the member. */
  readonly key?: string;
}

/** By member, or by operation and member. */
const spoken = {
  after: { value: 'id', about: 'continue after this one, the last of the previous page' },
  createdAfter: { flag: 'since', direction: -1 },
  createdBefore: { flag: 'until', direction: -1 },
  organization: { value: 'id' },
  parentRunId: { flag: 'parent', value: 'run' },
  quarantined: { flag: 'set-aside' },
  statuses: { flag: 'status' },
  subRuns: { about: 'sub-runs too' },
  tags: { flag: 'tag' },
  workflow: { value: 'id' },
  'createKey.expiresAt': { flag: 'expires', direction: 1 },
  'createKey.scopes': {
    flag: 'scope',
    value: 'scopes',
    hasCommas: true,
    about: 'what it may do, with commas between (default: everything)',
  },
  'createKey.tenant': { value: 'tenant', about: 'whose it is (default: the tenant of the key that asks)' },
  'createTrigger.replace': { about: 'replace a trigger that has the same id' },
  'fireTrigger.id': { flag: 'once', value: 'id' },
  'listPrompts.runId': { flag: 'run', value: 'run' },
  'publishEvent.correlation': { about: 'only waits with this correlation take it' },
  'publishEvent.id': { value: 'id' },
  'replyToPrompt.key': { flag: 'reply-key', key: 'replyKey' },
  'setSecret.hosts': { flag: 'host', about: 'where it may be sent: api.example.com, or *.example.com' },
  'startRun.trace': { about: 'keep how decisions about it come about, for heddle trace' },
  'startRun.version': { flag: 'workflow-version', about: 'a version of the workflow (default: the latest)' },
  'streamEvents.workflow': { about: 'with --all: only of runs of this workflow' },
  'streamRunEvents.after': { about: 'only what came after this event' },
  'streamRunTrace.after': { about: 'only what came after this trace event' },
} satisfies { readonly [Key in SpokenKey]?: Spoken };

const sayings = new Map<string, Spoken>(Object.entries(spoken));

type SpokenKey = { [Name in OperationName]: Member<Name> | `${Name}.${Member<Name>}` }[OperationName];

/** An option whose value has the name of the member. */
class MemberOption extends Option {
  readonly #key: string;

  constructor(flags: string, description: string, key: string) {
    super(flags, description);
    this.#key = key;
  }

  override attributeName(): string {
    return this.#key;
  }
}

export function makeFlag(operation: OperationName, member: string): Option {
  const said: Spoken = { ...sayings.get(member), ...sayings.get(`${operation}.${member}`) };
  const schema = schemaOf(operation, member);
  const { value, note = '', read = asIs } = formOf(member, schema, said);
  const name = `--${said.flag ?? kebab(member.replace(/Ms$/, ''))}`;
  const flags = value === null ? name : `${name} <${said.value ?? value}>`;
  const about = (said.about ?? describe(schema)).replace(/( \(default: [^)]*\))?$/, (end) => note + end);
  return read(new MemberOption(flags, about, said.key ?? member));
}

function schemaOf(operation: OperationName, member: string): AnySchema {
  const { kind }: AnySchema = operations[operation].takes;
  const found = kind.type === 'object' ? kind.members.get(member) : undefined;
  if (!found) throw new Error(`Expected ${operation} to take ${member}, but it does not`);
  return found.schema;
}

/** How a value is written on a command line. */
interface Form {
  /** What the help calls it; null: there is none to write. */
  readonly value: string | null;
  /** Behind the description, before the default. */
  readonly note?: string;
  /** Lets the option read it; else it is the word as it is. */
  readonly read?: (option: Option) => Option;
}

const asIs = (option: Option): Option => option;

function formOf(member: string, { kind }: AnySchema, said: Spoken): Form {
  if (said.direction !== undefined) return timeForm(said.direction);
  switch (kind.type) {
    case 'flag':
      return { value: null };
    case 'whole': {
      if (member.endsWith('Ms'))
        return { value: 'time', note: ': 90s, 10m, 2h', read: (option) => option.argParser(durationMs) };
      const most = typeof kind.max === 'number' ? kind.max : undefined;
      return { value: 'n', read: (option) => option.argParser(numberFrom(kind.min, most)) };
    }
    case 'choice':
      return { value: 'choice', read: (option) => option.choices(kind.of).argParser(oneOf(kind.of, findNearest)) };
    case 'list':
      return listForm(kind.of, { value: said.flag ?? member, collectWords: said.hasCommas ? collectList : collect });
    case 'map':
      return { value: 'key=value', note: again, read: (option) => option.argParser(collectPair) };
    case 'text':
      return { value: /key$/i.test(member) ? 'key' : 'text' };
    case 'number':
    case 'json':
    case 'object':
    case 'either':
    case 'null':
      throw new Error(`Expected ${member} to be what one word can say, but it is ${kind.type}`);
  }
}

const again = '; may be given again';

function timeForm(direction: 1 | -1): Form {
  const example = direction === -1 ? '30m, 2h or 7d ago' : '90d from now';
  return { value: 'time', note: `: ${example}, or a date`, read: (option) => option.argParser(timeFrom(direction)) };
}

function listForm(
  { kind }: AnySchema,
  { value, collectWords }: { readonly value: string; readonly collectWords: typeof collect },
): Form {
  if (kind.type !== 'choice') return { value, note: again, read: (option) => option.argParser(collectWords) };
  const check = oneOf(kind.of, findNearest);
  const read = (word: string, before?: readonly string[]): readonly string[] => {
    for (const each of collectWords(word)) check(each);
    return collectWords(word, before);
  };
  return { value, note: again, read: (option) => option.choices(kind.of).argParser(read) };
}

/** A sentence of the table as the help has them: `Why.` is `why`, `… Default: a day.` is `… (default: a day)`. */
function describe({ about = '' }: AnySchema): string {
  const text = about
    .replace(/ In milliseconds since 1970\.$/, '')
    .replace(/\. Default: (.*)\.$/, ' (default: $1)')
    .replace(/\.$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
