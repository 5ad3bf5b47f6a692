// Check mail: messages to runs, from the commit that sends them to the one that receives them. A run receives them in the
// order of their commits, and what a process has left to the next in the order of their ids, which is the same for those
// of one sender (the contract's sentence on order; here under I32). The end of a sub-run that was received is told in the
// journal of its parent, or kept until a pause is over (I39); it is never thrown away: what the sub-run has used counts,
// even if nobody waits for it any more. After the end of a run nothing matters to it.

import type { OutboxRow } from '../../packages/heddle/src/actor/ports.ts';
import type { Message } from '../../packages/heddle/src/core/effects.ts';
import type { RunFacts } from './run-facts.ts';
import type { Violation } from './violation.ts';

type FactsOf = (runId: string) => RunFacts | undefined;

export class Mail {
  readonly #factsOf: FactsOf;
  /** What is on its way to each run, in the order in which it is to arrive. */
  readonly #onTheirWay = new Map<string, OutboxRow[]>();
  readonly #recipients = new Map<string, string>();

  constructor(factsOf: FactsOf) {
    this.#factsOf = factsOf;
  }

  sent(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      const { id, to } = row;
      if (to.startsWith('@')) continue; // an office, which takes what it can in any order
      const before = this.#onTheirWay.get(to);
      if (before) before.push(row);
      else this.#onTheirWay.set(to, [row]);
      this.#recipients.set(id, to);
    }
  }

  /** Another process goes on with what was left on its way to these. */
  passOn(isMeant: (runId: string) => boolean = () => true): void {
    for (const [to, rows] of this.#onTheirWay) if (isMeant(to)) rows.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  received(ids: readonly string[]): Violation | null {
    for (const id of ids) {
      const violation = this.#receive(id);
      if (violation) return violation;
    }
    return null;
  }

  #receive(id: string): Violation | null {
    const to = this.#recipients.get(id);
    const waiting = to === undefined ? undefined : this.#onTheirWay.get(to);
    if (to === undefined || !waiting) return null;
    this.#recipients.delete(id);
    const place = waiting.findIndex((row) => row.id === id);
    const [row] = waiting.splice(place, 1) as [OutboxRow];
    const facts = this.#factsOf(to);
    if (!facts || facts.end !== null) return null; // nothing changes it any more
    const { seq } = facts;
    if (place > 0) {
      const message = `Expected message ${waiting[0]?.id} to be received before ${id}, which came after it`;
      return { invariant: 'I32', runId: to, seq, message };
    }
    const childRunId = endedChild(row);
    if (childRunId === null || isNoted(facts, childRunId)) return null;
    const message = `Expected the end of ${childRunId}, which was received, to be told or kept, but it is lost`;
    return { invariant: 'I39', runId: to, seq, message };
  }
}

function endedChild({ message }: OutboxRow): string | null {
  if (!message.includes('"child.ended"')) return null; // most are something else, and need not be read
  const letter = JSON.parse(message) as Message;
  return letter.type === 'child.ended' ? letter.childRunId : null;
}

function isNoted({ children, held }: RunFacts, childRunId: string): boolean {
  if (children.get(childRunId)?.standing === 'told') return true;
  return held.some((command) => command['childRunId'] === childRunId && command['type'] === 'child.ended');
}
