// Ledger: what the client has sent and what it has heard, kept by the one process that is never killed; and what no
// engine may answer, whatever happened to it in between.
//
// Always true: an operation is in it before it is sent for the first time; nothing is ever taken out.

import type { Reply } from '../../packages/heddle/src/core/commands.ts';
import type {
  Answer,
  Answers,
  BackUp,
  Control,
  Delete,
  Deposit,
  Operation,
  Publish,
  ReplyToPrompt,
  Start,
} from './protocol.ts';

export interface Entry<Op extends Operation = Operation> {
  readonly operation: Op;
  /** How often it was sent. */
  sent: number;
  /** When it was first sent, and when a success was first heard, in steps of the ledger; Infinity: not yet. */
  sentAt: number;
  heardAt: number;
  /** All that were heard, in order. */
  readonly answers: Answer[];
  /** Nothing was heard, and the client will not ask again. */
  isGivenUp: boolean;
}

interface Kinds {
  start: Start;
  reply: ReplyToPrompt;
  publish: Publish;
  control: Control;
  deposit: Deposit;
  delete: Delete;
  'back-up': BackUp;
}

export class Ledger {
  readonly entries: Entry[] = [];
  #step = 0;

  add<Op extends Operation>(operation: Op): Entry<Op> {
    const entry: Entry<Op> = {
      operation,
      sent: 0,
      sentAt: Infinity,
      heardAt: Infinity,
      answers: [],
      isGivenUp: false,
    };
    this.entries.push(entry);
    return entry;
  }

  of<Kind extends keyof Kinds>(kind: Kind): readonly Entry<Kinds[Kind]>[] {
    const isKind = ({ operation: { type } }: Entry): boolean => (kindOf(type) as string) === kind;
    return this.entries.filter(isKind) as Entry<Kinds[Kind]>[]; // By the filter.
  }

  /** Writes down that it is about to be sent. */
  send(entry: Entry): void {
    entry.sent++;
    entry.sentAt = Math.min(entry.sentAt, ++this.#step);
  }

  /** Whether somebody asked for a run to be deleted, and whether one heard that it was. */
  deletionOf(runId: string): { readonly isAsked: boolean; readonly isHeard: boolean } {
    const own = this.of('delete').filter(({ operation, sent }) => sent > 0 && operation.runId === runId);
    return { isAsked: own.length > 0, isHeard: own.some(isAcknowledged) };
  }

  /** Whether a run was told to do this, at least once. */
  wasAsked(type: Control['type'], runId: string): boolean {
    return this.of('control').some(
      ({ operation, sent }) => sent > 0 && operation.type === type && operation.runId === runId,
    );
  }

  /** Writes down an answer; says what is wrong with it, if something is. */
  hear(entry: Entry, answer: Answer): string | null {
    const wrong = 'refusal' in answer ? this.#judgeRefusal(entry, answer.refusal) : judgeValue(entry, answer.value);
    entry.answers.push(answer);
    if ('value' in answer) entry.heardAt = Math.min(entry.heardAt, ++this.#step);
    return (
      wrong && `Expected ${describe(entry)} ${wrong}; before it heard ${JSON.stringify(entry.answers.slice(0, -1))}`
    );
  }

  #judgeRefusal(
    { operation }: Entry,
    { code, message }: { readonly code: string; readonly message: string },
  ): string | null {
    // Of a run that was deleted nobody knows any more.
    if ('runId' in operation && gone.has(code) && this.deletionOf(operation.runId).isAsked) return null;
    if (operation.type === 'reply') {
      if (code === 'PROMPT_CANCELLED' && this.wasAsked('cancel', operation.runId)) return null;
      if (code === 'PROMPT_EXPIRED' && operation.key.endsWith('/quick')) return null;
    }
    return `to be accepted, but found ${code}: ${message}`;
  }
}

const gone: ReadonlySet<string> = new Set(['RUN_NOT_FOUND', 'PROMPT_NOT_FOUND']);

const kindOf = (type: Operation['type']): keyof Kinds =>
  type === 'cancel' || type === 'pause' || type === 'resume' ? 'control' : type;

/** The same key gives the same run; what was done once is not done again. */
function judgeValue({ operation, sent, answers }: Entry, value: Answers[keyof Answers]): string | null {
  const before = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []));
  if (operation.type === 'start') {
    const { runId } = value as Answers['start'];
    const other = before.find((known) => (known as Answers['start']).runId !== runId);
    return other ? `to give the run that it gave before, but found ${runId}` : null;
  }
  if (kindOf(operation.type) === 'control' || operation.type === 'back-up') return null;
  if (operation.type === 'delete' && sent === 1 && !isApplied(value)) return 'to find its run, but it was gone';
  const isDouble = isApplied(value) && before.some(isApplied);
  return isDouble ? 'to be applied once, but it was applied again' : null;
}

const isApplied = (value: Answers[keyof Answers]): boolean => (value as Reply).applied; // All that is asked here has it.

/** Whether some answer was a success, and whether one said that it was this that did it. */
export const isAcknowledged = ({ answers }: Entry): boolean => answers.some((answer) => 'value' in answer);
export const wasApplied = ({ answers }: Entry): boolean =>
  answers.some((answer) => 'value' in answer && isApplied(answer.value));

/** The first answer that was heard said that it had been done before: the one who did it died too early to say so. */
export const wasDoneUnheard = ({ operation, answers: [first] }: Entry): boolean =>
  operation.type !== 'start' &&
  operation.type !== 'back-up' &&
  kindOf(operation.type) !== 'control' &&
  first !== undefined &&
  'value' in first &&
  !isApplied(first.value);

/** Runs that were deleted, and copies of the store: those that were made, and those of which nobody heard. */
export function countUpkeep(entries: readonly Entry[]): Readonly<Record<string, number>> {
  const sent = (type: Operation['type']): readonly Entry[] =>
    entries.filter((entry) => entry.operation.type === type && entry.sent > 0);
  const backups = sent('back-up');
  const made = backups.filter(isAcknowledged).length;
  return {
    'runs deleted': sent('delete').filter(isAcknowledged).length,
    'backups made': made,
    'backups cut off': backups.length - made,
  };
}

export const runIdOf = ({ answers }: Entry<Start>): string | null => {
  const known = answers.find((answer) => 'value' in answer);
  return known && 'value' in known ? (known.value as Answers['start']).runId : null; // Starts are answered so.
};

export const describe = ({ operation, sent, answers }: Entry): string =>
  `${JSON.stringify(operation)} (sent ${sent} times, answered ${answers.length} times)`;
