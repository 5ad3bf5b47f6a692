// What must be true of messages between runs: what follows from the events of a row for others is in the outbox of the
// same commit, and nothing else (I32). What that is, is worked out from the events; what it leads to is checked where it
// arrives.

import type { OutboxRow } from '../../packages/heddle/src/actor/ports.ts';
import type { Event, EventOf, EventType } from '../../packages/heddle/src/core/events.ts';
import type { TokenFact } from './facts.ts';
import type { RunFacts } from './run-facts.ts';

type Asker<T extends EventType> = (facts: RunFacts, event: EventOf<T>) => void;

/** What events ask of others; those that are not here concern nobody else. */
const askers: { readonly [T in EventType]?: Asker<T> } = {
  'subworkflow.dispatched': (facts, { childRunId }) => expect(facts, 'start', childRunId),
  'subworkflow.timed_out': (facts, { childRunId }) => expect(facts, 'cancel', childRunId),
  'workflow.paused': (facts) => tellChildren(facts, 'pause'),
  'workflow.unpaused': (facts) => tellChildren(facts, 'resume'),
  'tokens.cancelled': (facts, { tokens }) => {
    for (const id of tokens) callOff(facts, facts.tokens.get(id));
  },
  'input.queued': (facts) => {
    if (facts.start?.parent) expect(facts, 'input.enqueue', facts.start.rootRunId);
  },
  'input.resumed': release,
  'input.expired': release,
  'input_queue.joined': (facts, { askingRunId }) => {
    if (facts.queue.size === 0) grant(facts, askingRunId);
  },
  'input_queue.left': (facts, { correlationId }) => grantNext(facts, correlationId),
  'workflow.suspended': (facts) => tellParent(facts, 'child.suspended'),
  'workflow.resumed': (facts) => tellParent(facts, 'child.resumed'),
  'credits.requested': (facts) => expect(facts, 'reserve', '@credits'),
  'workflow.completed': tellEnd,
  'workflow.failed': tellEnd,
  'workflow.cancelled': tellEnd,
  'workflow.timed_out': tellEnd,
  'workflow.exhausted': tellEnd,
};

/** Notes what an event asks of others, before it is read. */
export function expectMessages(facts: RunFacts, event: Event): void {
  const ask = askers[event.type] as Asker<EventType> | undefined;
  ask?.(facts, event);
}

function tellEnd(facts: RunFacts): void {
  if (facts.start?.organization !== undefined && facts.credits.requested > 0) expect(facts, 'settle', '@credits');
  // SP3: a run that resumes and ends by one answer tells its parent of the end alone.
  const resumed = facts.messages.findIndex((message) => message.startsWith('child.resumed '));
  if (resumed >= 0) facts.messages.splice(resumed, 1);
  tellParent(facts, 'child.ended');
}

function expect({ messages }: RunFacts, type: string, to: string): void {
  messages.push(`${type} ${to}`);
}

function tellParent(facts: RunFacts, type: string): void {
  const parent = facts.start?.parent;
  if (parent) expect(facts, type, parent.runId);
}

function tellChildren(facts: RunFacts, type: string): void {
  if (facts.count('subworkflow') === 0) return;
  for (const { state, childRunId } of facts.tokens.values())
    if (state === 'subworkflow' && childRunId !== null) expect(facts, type, childRunId);
}

function callOff(facts: RunFacts, token: TokenFact | undefined): void {
  if (token?.state === 'subworkflow' && token.childRunId !== null) expect(facts, 'cancel', token.childRunId);
  if (token?.state === 'asked' || token?.state === 'queued') release(facts);
}

/** A prompt of a sub-run leaves the queue of its root. */
function release(facts: RunFacts): void {
  const { start, drawing } = facts;
  if (start?.parent && drawing.policy.inputPolicy === 'serial') expect(facts, 'input.release', start.rootRunId);
}

/** The first in the queue may ask; a prompt of the root itself asks at once. */
function grant(facts: RunFacts, askingRunId: string): void {
  if (askingRunId !== facts.runId) expect(facts, 'input.grant', askingRunId);
}

function grantNext(facts: RunFacts, correlationId: string): void {
  const [first, second] = facts.queue.values();
  if (first?.correlationId === correlationId && second) grant(facts, second.askingRunId);
}

/** I32: the messages that a row has sent are those that its events ask for. */
export function checkMessages(facts: RunFacts, sent: readonly OutboxRow[]): void {
  const expected = facts.messages.toSorted();
  const found = sent.map(({ message, to }) => `${typeOf(message)} ${to}`).toSorted();
  if (expected.length !== found.length || expected.some((one, index) => one !== found[index]))
    facts.broken(
      'I32',
      `Expected the messages ${expected.join(', ') || 'none'}, but found ${found.join(', ') || 'none'}`,
    );
}

const typeOf = (message: string): string => /^\{"type":"([^"]+)"/.exec(message)?.[1] ?? message;
