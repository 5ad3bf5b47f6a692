// Ledger: what the client has sent and what it has heard, kept by the one process that is never killed; and what no
// engine may answer, whatever happened to it in between.
//
// Always true: an operation is in it before it is sent for the first time; nothing is ever taken out.

import type { Reply } from '../../packages/heddle/src/core/commands.ts';
import type { Answer, Answers, Control, Deposit, Operation, Publish, ReplyToPrompt, Start } from './protocol.ts';

export interface Entry<Op extends Operation = Operation> {
  readonly operation: Op;
  /** How often it was sent. */
  sent: number;
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
}

export class Ledger {
  readonly entries: Entry[] = [];

  add<Op extends Operation>(operation: Op): Entry<Op> {
    const entry: Entry<Op> = { operation, sent: 0, answers: [], isGivenUp: false };
    this.entries.push(entry);
    return entry;
  }

  of<Kind extends keyof Kinds>(kind: Kind): readonly Entry<Kinds[Kind]>[] {
    const isKind = ({ operation: { type } }: Entry): boolean => (kindOf(type) as string) === kind;
    return this.entries.filter(isKind) as Entry<Kinds[Kind]>[]; // By the filter.
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
    return (
      wrong && `Expected ${describe(entry)} ${wrong}; before it heard ${JSON.stringify(entry.answers.slice(0, -1))}`
    );
  }

  #judgeRefusal(
    { operation }: Entry,
    { code, message }: { readonly code: string; readonly message: string },
  ): string | null {
    if (operation.type === 'reply') {
      if (code === 'PROMPT_CANCELLED' && this.wasAsked('cancel', operation.runId)) return null;
      if (code === 'PROMPT_EXPIRED' && operation.key.endsWith('/quick')) return null;
    }
    return `to be accepted, but found ${code}: ${message}`;
  }
}

const kindOf = (type: Operation['type']): keyof Kinds =>
  type === 'cancel' || type === 'pause' || type === 'resume' ? 'control' : type;

/** The same key gives the same run; what was done once is not done again. */
function judgeValue({ operation, answers }: Entry, value: Answers[keyof Answers]): string | null {
  const before = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []));
  if (operation.type === 'start') {
    const { runId } = value as Answers['start'];
    const other = before.find((known) => (known as Answers['start']).runId !== runId);
    return other ? `to give the run that it gave before, but found ${runId}` : null;
  }
  if (kindOf(operation.type) === 'control') return null;
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
  kindOf(operation.type) !== 'control' &&
  first !== undefined &&
  'value' in first &&
  !isApplied(first.value);

export const runIdOf = ({ answers }: Entry<Start>): string | null => {
  const known = answers.find((answer) => 'value' in answer);
  return known && 'value' in known ? (known.value as Answers['start']).runId : null; // Starts are answered so.
};

export const describe = ({ operation, sent, answers }: Entry): string =>
  `${JSON.stringify(operation)} (sent ${sent} times, answered ${answers.length} times)`;
