// What must be true between runs: I4, I32, I39, I41, I42, I45. A start, an end or a cancellation is in the journal of who
// sent it, in the outbox, or in the journal of who received it; it is nowhere lost and nowhere twice.

import type { OutboxRow } from '../../packages/heddle/src/actor/ports.ts';
import type { Message } from '../../packages/heddle/src/core/effects.ts';
import type { ChildFact } from './facts.ts';
import { breaks, type Look } from './look.ts';
import type { RunFacts } from './run-facts.ts';
import { isEqual } from './values.ts';

export function checkTrees(look: Look): void {
  const mail = readMail(look.view.outbox);
  for (const [runId, facts] of look.runs) {
    checkParent(look, runId, facts);
    for (const child of facts.children.values()) checkChild(look, mail, facts, child);
    checkQueue(look, facts);
  }
}

/** What is on its way, by whom it is about. */
interface Mail {
  readonly starts: ReadonlySet<string>;
  readonly ends: ReadonlySet<string>;
}

function readMail(outbox: readonly OutboxRow[]): Mail {
  const starts = new Set<string>();
  const ends = new Set<string>();
  for (const { to, message } of outbox) {
    const { type, ...rest } = JSON.parse(message) as Message;
    if (type === 'start') starts.add(to);
    if (type === 'child.ended' && 'childRunId' in rest) ends.add(rest.childRunId);
  }
  return { starts, ends };
}

/** I41: a sub-run is one that its parent has started, with that input. I45: and belongs to the same tree and payer. */
function checkParent({ factsOf, rows }: Look, runId: string, { start }: RunFacts): void {
  if (!start?.parent) return;
  const parent = factsOf(start.parent.runId);
  if (!parent) breaks('I41', runId, `Expected the parent ${start.parent.runId} to be there, but it is not`);
  const child = parent.children.get(runId);
  // A run that was restored from a snapshot knows the ids of those below it, and no more.
  const isKnown = child?.token === start.parent.token || child?.token === 0;
  if (!isKnown) breaks('I34', runId, `Expected ${start.parent.runId} to have started this run, but it has not`);
  const isItsOwn = child.input === null || (child.workflow === start.workflow && isEqual(child.input, start.input));
  if (!isItsOwn)
    breaks('I41', runId, 'Expected a sub-run to have the workflow and input that it was given, but it has not');
  const { rootRunId = '', depth = 0, organization } = parent.start ?? {};
  if (start.rootRunId !== rootRunId || start.depth !== depth + 1 || start.organization !== organization)
    breaks('I45', runId, 'Expected a sub-run to belong to the tree of its parent, but it does not');
  if (!rows.has(rootRunId)) breaks('I45', runId, `Expected the root ${rootRunId} to be there, but it is not`);
}

function checkChild(look: Look, mail: Mail, parent: RunFacts, child: ChildFact): void {
  const { childRunId, standing } = child;
  const row = look.rows.get(childRunId);
  const facts = look.factsOf(childRunId);
  if (standing === 'told') return checkTold(parent, child, facts);
  const isHeld = parent.held.some((held) => held['childRunId'] === childRunId && held['type'] === 'child.ended');
  const isOver = parent.end !== null;
  // I32: the decision to start and the message are one; so are the end of a run and the message of it.
  if (!row && !isOver && !mail.starts.has(childRunId) && !mail.ends.has(childRunId) && !isHeld)
    breaks('I32', parent.runId, `Expected sub-run ${childRunId} to be there or on its way, but it is not`);
  const mustTell = facts?.end && !isOver && !isHeld && !mail.ends.has(childRunId);
  if (mustTell)
    breaks('I39', childRunId, `Expected ${parent.runId} to be told of the end, or a message to be on its way`);
  if (look.moment !== 'rest') return;
  if (facts && !facts.end && (isOver || standing === 'given-up'))
    breaks('I42', childRunId, `Expected nothing to live on after ${parent.runId} gave it up, but this run does`);
}

/** I39, I41: what a parent was told is how its sub-run ended. */
function checkTold({ runId }: RunFacts, { childRunId, told }: ChildFact, child: RunFacts | undefined): void {
  if (!child) {
    // A sub-run that could not start is no run; what was told late has no more than its use.
    if (told && told.nodesUsed > 0) breaks('I41', runId, `Expected ${childRunId} to be there, but only its end is`);
    return;
  }
  if (!child.end) breaks('I39', childRunId, `Expected ${runId} not to be told of an end that has not come, but it was`);
  if (!told) return;
  const { end } = child;
  const isRight =
    end.type === `workflow.${told.status}` && (end.type !== 'workflow.completed' || isEqual(end.output, told.output));
  if (!isRight) breaks('I41', childRunId, `Expected ${runId} to be told how this run ended, but it was told otherwise`);
  // I4: every token that was created is counted, and so is every run below.
  const nodesUsed = child.lastToken + child.childNodesUsed;
  if (told.nodesUsed !== nodesUsed || told.descendantsUsed !== child.descendantsUsed)
    breaks('I4', childRunId, `Expected ${nodesUsed} node visits to be told to ${runId}, but found ${told.nodesUsed}`);
}

/** I45: in the queue of a root stand prompts of its own tree. */
function checkQueue({ factsOf }: Look, { runId, queue }: RunFacts): void {
  for (const { askingRunId } of queue.values())
    if (factsOf(askingRunId)?.start?.rootRunId !== runId)
      breaks('I45', runId, `Expected prompts of this tree in its queue, but run ${askingRunId} stands in it`);
}
