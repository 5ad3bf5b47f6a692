// What must be true of tokens, tasks and sub-runs: I1, I3, I5, I6, I13, I15, I19–I21, I26, I39.

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { retryDelayMs } from './compile-program.testsuite.ts';
import { type EventOf, type Facts, keyOf, nodeOfJoin, type Ref } from './journal-facts.testsuite.ts';
import { stable } from './oracle.testsuite.ts';

export function createTokens(facts: Facts, event: EventOf<'token.created'>): void {
  const isRoot = facts.tokens.size === 0;
  facts.must(event.token === facts.tokens.size + 1, 'I5', 'ids are not counted up');
  facts.must(facts.hasNode(event.node), 'I6', `there is no node ${event.node}`);
  if (isRoot) facts.must(event.node === facts.definition.initialNode, 'I6', 'the root is not at the initial node');
  if (event.from !== undefined) facts.must(event.from < event.token, 'I5', 'caused by what came later');
  const [group, first] = event.branch;
  for (let i = 0; i < (event.count ?? 1); i++)
    createToken(facts, event, { id: event.token + i, branch: [group, first + i] });
  if (event.via === undefined && event.from !== undefined) continueAfterJoin(facts, event);
}

function createToken(facts: Facts, event: EventOf<'token.created'>, { id, branch }: { id: number; branch: Ref }): void {
  const [groupId, index] = branch;
  if (groupId !== 0) {
    const group = facts.group(groupId);
    facts.must(!group.isClosed, 'I14', `a token came to life in group ${groupId}, which is closed`);
    if (event.from === group.start.token && event.via !== undefined) {
      const isNew = !group.spawned.has(index) && index < group.start.total;
      facts.must(isNew, 'I9', `branch ${index} was spawned twice, or is none`);
      group.spawned.add(index);
    }
    facts.must(group.spawned.has(index) && !group.ended.has(index), 'I10', `branch ${index} was not open`);
  }
  const blank = { status: 'ready', attempt: 1, dispatches: 0, dueAt: null, childFailed: false };
  facts.tokens.set(id, { id, node: event.node, branch, ...blank });
}

function continueAfterJoin(facts: Facts, event: EventOf<'token.created'>): void {
  const group = [...facts.groups.values()].find(({ start, firings, continuations, join }) => {
    const isOfIt = start.token === event.from && nodeOfJoin(join) === event.node;
    return isOfIt && firings > continuations;
  });
  facts.must(group !== undefined, 'I15', 'a continuation without a join that fired');
  group.continuations += 1;
  facts.must(
    stable(group.start.parent) === stable(event.branch),
    'I15',
    'the continuation is not where the fan-out was',
  );
}

export function waitFor(facts: Facts, event: EventOf<'token.waiting'>): void {
  const token = facts.move(event.token, event.for);
  if (event.for === 'timer') token.dueAt = event.until;
  if (event.for !== 'siblings') return;
  token.branch = event.branch;
  const group = facts.group(event.branch[0]);
  const index = event.branch[1];
  const isNew = !group.arrived.has(index) && !group.ended.has(index);
  facts.must(isNew, 'I13', `branch ${index} arrived twice, or after its end`);
  facts.must(group.firings === 0, 'I11', 'an arrival at a join that has fired');
  facts.must(group.join === null || group.join === event.join, 'I11', 'the group arrived at two joins');
  if (group.join === null) group.deadline = event.deadline ?? null;
  group.join = event.join;
  group.arrived.set(index, event.token);
}

export function dispatchTask(facts: Facts, event: EventOf<'task.dispatched'>): void {
  const token = facts.move(event.token, 'dispatched');
  token.dispatches += 1;
  const isNext = event.dispatch === token.dispatches && event.attempt === token.attempt;
  facts.must(isNext, 'I21', 'attempt or dispatch is off');
}

export function completeStep(facts: Facts, event: EventOf<'step.completed'>): void {
  const { status, attempt } = facts.token(event.token);
  facts.must(status === 'dispatched', 'I20', `a step of a token that is ${status}`);
  facts.must(event.attempt === attempt, 'I20', 'a step of another attempt');
}

export function acceptResult(facts: Facts, event: EventOf<'task.completed'>, fairAnswers: ReadonlySet<number>): void {
  const token = facts.token(event.token);
  if (token.branch[0] !== 0) facts.raws.set(keyOf(token.branch), event.output);
  if (token.childFailed) return; // The output of a child that was caught.
  facts.must(token.status === 'dispatched', 'I20', `a result for a token that is ${token.status}`);
  const { call } = event.output as { call: number }; // what every task of a program returns
  facts.must(fairAnswers.has(call), 'I20', `the result of call ${call} was not of the current hand-out`);
  facts.must(!facts.accepted.includes(call), 'I19', `the result of call ${call} counted twice`);
  facts.accepted.push(call);
}

export function failAttempt(facts: Facts, event: EventOf<'task.attempt_failed'>): void {
  const token = facts.move(event.token, 'retrying');
  const policy = facts.definition.nodes.find(({ id }) => id === token.node)?.retry;
  const isWithin = event.attempt === token.attempt && event.attempt < (policy?.maxAttempts ?? 1);
  facts.must(isWithin, 'I21', 'too many attempts');
  facts.must(event.retryAt === event.at + retryDelayMs * 2 ** (event.attempt - 1), 'I21', 'the back-off was not kept');
  token.dueAt = event.retryAt;
}

export function fireTimer(facts: Facts, event: EventOf<'timer.fired'>): void {
  const token = facts.token(event.token);
  facts.must(token.dueAt !== null && event.at >= token.dueAt, 'I26', 'fired before its time, or without one');
  if (token.status === 'retrying') token.attempt += 1;
  facts.move(event.token, 'ready');
}

/** A child is heard of once, for only who waits can stop waiting. */
export function endChild(
  facts: Facts,
  event: Extract<RunEvent, { type: `subworkflow.${'completed' | 'timed_out'}` }>,
): void {
  const { dueAt } = facts.token(event.token);
  if (event.type === 'subworkflow.timed_out') {
    facts.must(dueAt !== null && event.at >= dueAt, 'I26', 'a child timed out before its time');
  }
  const token = facts.move(event.token, 'ready');
  const isDone = event.type === 'subworkflow.completed' && event.status === 'completed';
  token.childFailed = !isDone;
  if (isDone && token.branch[0] !== 0) facts.raws.set(keyOf(token.branch), event.output ?? {});
}
