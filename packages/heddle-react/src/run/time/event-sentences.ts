// Event sentences: every event of a journal in words, for people who do not know their types.
//
// Always true: there is a sentence for every type that this version knows; of any other, its type and members are said.

import type { Failure, Json } from 'heddle';
import type { RunEvent } from 'heddle/journal';
import { durationText, exactText } from '../../parts/time-text.tsx';
import type { TokenNodes } from './token-nodes.ts';

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Sentences = { readonly [T in RunEvent['type']]: (event: EventOf<T>, at: (token: number) => string) => string };

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

const shortened = (text: string, most = 120): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const valueText = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : shortened(JSON.stringify(value));

const failureText = ({ code, message }: Failure): string => `${code}: ${shortened(message, 200)}`;

const branchText = ([group, index]: readonly [number, number]): string =>
  group === 0 ? 'The run' : `Branch #${index} of group ${group}`;

const listText = (names: readonly string[]): string => shortened(names.join(', '));

const promptText = ({ title, description }: { readonly title?: string; readonly description?: string }): string =>
  shortened(title ?? description ?? 'an answer');

const sentences: Sentences = {
  'workflow.started': ({ workflow, version }) => `The run of ${workflow}, version ${version}, started`,
  'workflow.restored': () => 'The run took over the state of the run that it retries',
  'workflow.completed': ({ output }) => `The run completed with ${valueText(output)}`,
  'workflow.failed': ({ error }) => `The run failed: ${failureText(error)}`,
  'workflow.cancelled': ({ reason }) => `The run was cancelled: ${shortened(reason)}`,
  'workflow.timed_out': ({ error }) => `The run timed out: ${failureText(error)}`,
  'workflow.exhausted': ({ error }) => `The run has no credits left: ${failureText(error)}`,
  'workflow.suspended': () => 'The run was suspended: only people or outside events can wake it',
  'workflow.resumed': () => 'The run resumed',
  'workflow.result_set': ({ token, output }, at) => `${at(token)} set the output of the run to ${valueText(output)}`,
  'workflow.paused': () => 'The run was paused',
  'workflow.unpaused': () => 'The run was resumed by hand',
  'workflow.held': () => 'Something came while the run was paused, and is kept until it resumes',
  'held.taken': () => 'What came while the run was paused has its turn',
  'context.updated': ({ branch, writes }) =>
    `${branchText(branch)} wrote ${listText(writes.map(([target]) => target))}`,
  'token.created': ({ node, via, count: many = 1 }) =>
    many === 1
      ? `${node} was entered${via === undefined ? '' : ` by ${via}`}`
      : `${node} was entered by ${count(many, 'branch', 'branches')}`,
  'token.waiting': (event, at) => `${at(event.token)} ${waitText(event)}`,
  'token.completed': ({ token }, at) => `${at(token)} is done`,
  'tokens.completed': ({ tokens }, at) => `${tokensText(tokens, at)} done`,
  'tokens.timed_out': ({ tokens }, at) => `${tokensText(tokens, at)} out of time`,
  'tokens.cancelled': ({ tokens, reason }, at) => `${tokensText(tokens, at)} cancelled: ${shortened(reason)}`,
  'task.dispatched': ({ token, attempt }, at) => `${at(token)} starts${attempt > 1 ? `, attempt ${attempt}` : ''}`,
  'step.completed': ({ token, step }, at) => `${at(token)} finished the step ${shortened(step, 60)}`,
  'task.completed': ({ token, output }, at) => `${at(token)} returned ${valueText(output)}`,
  'task.attempt_failed': ({ token, attempt, error, retryAt, at: then }, at) =>
    `Attempt ${attempt} of ${at(token)} failed, again in ${durationText(Math.max(0, retryAt - then))}: ${failureText(error)}`,
  'tasks.lost': ({ tokens }) =>
    `${count(tokens.length, 'task was', 'tasks were')} interrupted, and will be handed out again`,
  'tasks.offered': ({ tokens }) =>
    `${count(tokens.length, 'task is', 'tasks are')} offered again: there may be a worker now`,
  'task.failed': ({ token, error }, at) => `${at(token)} failed: ${failureText(error)}`,
  'timer.fired': ({ token }, at) => `The wait of ${at(token)} is over`,
  'handle.unmatched': ({ node, handle }) =>
    `${node} chose ${shortened(handle, 60)}, which leads nowhere: its path ends`,
  'control.ignored': ({ node, keys }) => `${node} returned ${listText(keys)}, which could not be read`,
  'fan_out.started': ({ node, total, batch }) =>
    batch === undefined
      ? `${node} fanned out into ${count(total, 'branch', 'branches')}`
      : `${node} takes its items in ${count(total, 'slice')}`,
  'batch.completed': ({ token, slices }, at) => `${at(token)} is done with ${count(slices, 'slice')}`,
  'fan_in.completed': ({ join, branches, timedOut }) =>
    `${join} joined ${count(branches, 'branch', 'branches')}${timedOut ? ': its time was up' : ''}`,
  'fan_in.failed': ({ join, error }) => `The join ${join} failed: ${failureText(error)}`,
  'branches.merged': ({ writes }) =>
    `What the branches wrote was merged into ${listText(writes.map(([target]) => target))}`,
  'branch.ended': ({ branch, how, error }) =>
    `${branchText(branch)} ${how} without a join${error === undefined ? '' : `: ${failureText(error)}`}`,
  'branches.detached': ({ indices, group }) =>
    `${count(indices.length, 'branch', 'branches')} of group ${group} no longer counted: the join went ahead`,
  'branch.abandoned_failed': ({ branch, error }) =>
    `${branchText(branch)}, which no longer counted, failed: ${failureText(error)}`,
  'branch.discarded': ({ branch, paths }) =>
    `${branchText(branch)} was never joined: what it wrote to ${listText(paths)} is discarded`,
  'group.closed': ({ group }) => `Nothing of group ${group} is left`,
  'edges.settled': ({ skipped }) =>
    skipped.length === 0 ? 'Ways were settled' : `${listText(skipped)} will not run: nothing can reach it any more`,
  'edge_join.completed': ({ node }) => `${node} has everything that it waits for`,
  'subworkflow.dispatched': ({ token, workflow, childRunId }, at) =>
    `${at(token)} called ${workflow}, run ${childRunId}`,
  'subworkflow.completed': ({ token, status, childRunId }, at) =>
    `The run ${childRunId} that ${at(token)} called ended: ${status}`,
  'subworkflow.ended_late': ({ childRunId }) => `The run ${childRunId} ended; nobody waited for it any more`,
  'subworkflow.suspended': ({ childRunId }) => `The run ${childRunId} waits for people or outside events`,
  'subworkflow.resumed': ({ childRunId }) => `The run ${childRunId} resumed`,
  'subworkflow.timed_out': ({ token, childRunId, elapsedMs }, at) =>
    `${at(token)} gave up on the run ${childRunId} after ${durationText(elapsedMs)}`,
  'input.queued': ({ token }, at) => `${at(token)} waits for its turn to ask`,
  'input.requested': (event, at) => `${at(event.token)} asks for ${promptText(event)}`,
  'input.resumed': ({ token, payload }, at) => `${at(token)} was answered: ${valueText(payload)}`,
  'input.expired': ({ token }, at) => `${at(token)} was not answered in time`,
  'input_queue.joined': ({ askingRunId }) => `A prompt of run ${askingRunId} joined the queue`,
  'input_queue.left': ({ askingRunId }) => `A prompt of run ${askingRunId} left the queue`,
  'event.awaited': ({ token, event }, at) => `${at(token)} waits for the event ${shortened(event, 60)}`,
  'event.received': ({ token, payload }, at) => `${at(token)} received its event: ${valueText(payload)}`,
  'credits.requested': ({ amount }) => `${count(amount, 'credit was', 'credits were')} asked for`,
  'credits.granted': ({ amount }) => `${count(amount, 'credit was', 'credits were')} granted`,
};

function waitText(event: EventOf<'token.waiting'>): string {
  switch (event.for) {
    case 'timer':
      return `waits until ${exactText(event.until)}${event.label === undefined ? '' : ` (${shortened(event.label, 60)})`}`;
    case 'batch':
      return 'waits for its slices';
    case 'action':
      return `waits for a worker that has ${shortened(event.action, 60)}`;
    case 'siblings':
      return 'was reached by a branch, which waits for the others';
    case 'edges':
      return `was reached by ${event.edge}, and waits for its other ways`;
  }
}

function tokensText(tokens: readonly number[], at: (token: number) => string): string {
  const [only] = tokens;
  return tokens.length === 1 && only !== undefined ? `${at(only)} is` : `${count(tokens.length, 'visit')} are`;
}

export function sentenceOf(event: RunEvent, nodes: TokenNodes): string {
  const at = (token: number): string => nodes.nodeOf(token) ?? `token ${token}`;
  // The table is typed by the union: what it has under a type takes an event of that type. A newer server may know more types.
  const tell = sentences[event.type] as ((event: RunEvent, at: (token: number) => string) => string) | undefined;
  return tell ? tell(event, at) : unknownText(event);
}

function unknownText({ type, id: _, seq: __, at: ___, runId: ____, ...members }: RunEvent): string {
  const rest = JSON.stringify(members);
  return `${type}${rest === '{}' ? '' : ` ${shortened(rest)}`}`;
}

/** The node that an event is about, if it is about one. */
export function nodeOfEvent(event: RunEvent, nodes: TokenNodes): string | null {
  if ('node' in event && typeof event.node === 'string') return event.node;
  if ('join' in event && typeof event.join === 'string') return event.join;
  return 'token' in event && typeof event.token === 'number' ? nodes.nodeOf(event.token) : null;
}

export type EventMark = 'failure' | 'prompt';

const marks: { readonly [T in RunEvent['type']]?: EventMark } = {
  'task.attempt_failed': 'failure',
  'task.failed': 'failure',
  'fan_in.failed': 'failure',
  'workflow.failed': 'failure',
  'workflow.timed_out': 'failure',
  'workflow.exhausted': 'failure',
  'input.requested': 'prompt',
};

/** What stands out among the events of a run. */
export const markOf = ({ type }: RunEvent): EventMark | null => marks[type] ?? null;
