// Engine meter: counts what one engine commits: runs, visits to nodes, attempts, and how long they take. Rules MT….
//
// Always true: a commit costs a few lookups in maps (0.2 µs an event); what is held is bounded by tasks that are out, and
// by `tasksMax`; counting decides nothing and changes nothing.

import type { Committed } from '../actor/observers.ts';
import type { Event, EventOf, TokenId } from '../core/events.ts';
import { terminalEvents } from '../core/views/status.ts';
import { Histogram, NamedCounts } from './counts.ts';
import type { Exposition, Labels } from './exposition.ts';

interface WorkflowCounts {
  started: number;
  nodes: number;
  readonly ended: Map<string, number>;
  readonly durations: Histogram;
}

interface ActionCounts {
  completed: number;
  failed: number;
  retried: number;
  lost: number;
  /** Those that nobody could take. */
  putOff: number;
  readonly durations: Histogram;
}

/** A task that is out. */
interface HandedOut {
  readonly action: string;
  readonly at: number;
}

/** Beyond it, results are counted under `unknown`, as are those of tasks that were out before the engine was opened. */
const tasksMax = 100_000;
const unknownAction = 'unknown';

export class EngineMeter {
  readonly #workflows = new NamedCounts<WorkflowCounts>(() => ({
    started: 0,
    nodes: 0,
    ended: new Map(),
    durations: new Histogram(),
  }));
  readonly #actions = new NamedCounts<ActionCounts>(() => ({
    completed: 0,
    failed: 0,
    retried: 0,
    lost: 0,
    putOff: 0,
    durations: new Histogram(),
  }));
  readonly #out = new Map<string, Map<TokenId, HandedOut>>();
  #outCount = 0;
  #errors = 0;

  /** For `EngineOptions.onCommit`. */
  readonly onCommit = (committed: Committed): void => {
    const counts = this.#workflows.of(committed.row.workflow);
    for (const event of committed.events) this.#count(event, counts, committed);
  };

  /** For `EngineOptions.onError`. */
  readonly onError = (): void => {
    this.#errors++;
  };

  // MT3: what is counted is what was committed, once: a command that changes nothing, or is tried again, counts nothing.
  #count(event: Event, counts: WorkflowCounts, committed: Committed): void {
    const { type } = event;
    if (type === 'workflow.started') counts.started++;
    else if (type === 'token.created') counts.nodes += event.count ?? 1;
    else if (type === 'task.dispatched') this.#handOut(event.token, committed);
    else if (type === 'task.completed' || type === 'task.attempt_failed' || type === 'task.failed')
      this.#countResult(event, committed);
    else if (type === 'tasks.lost') for (const token of event.tokens) this.#countLost(token, committed);
    else if (type === 'token.waiting') this.#countPutOff(event, committed);
    else if (type === 'tokens.cancelled' || type === 'tokens.timed_out')
      for (const token of event.tokens) this.#takeBack(token, committed);
    else if (terminalEvents.has(type)) this.#end(type.slice('workflow.'.length), counts, committed);
  }

  #countLost(token: TokenId, committed: Committed): void {
    this.#actions.of(this.#takeBack(token, committed)?.action ?? unknownAction).lost++;
  }

  // MT6: a task that finds nobody who has its action is counted each time, under the name of the action.
  #countPutOff(event: EventOf<'token.waiting'>, committed: Committed): void {
    if (event.for !== 'action') return;
    this.#takeBack(event.token, committed);
    this.#actions.of(event.action).putOff++;
  }

  #handOut(token: TokenId, { row: { runId }, at, actionOf }: Committed): void {
    if (this.#outCount >= tasksMax) return;
    const ofRun = this.#out.get(runId) ?? new Map<TokenId, HandedOut>();
    this.#out.set(runId, ofRun);
    if (!ofRun.has(token)) this.#outCount++;
    ofRun.set(token, { action: actionOf(token) ?? unknownAction, at });
  }

  #takeBack(token: TokenId, { row: { runId } }: Committed): HandedOut | null {
    const ofRun = this.#out.get(runId);
    const task = ofRun?.get(token);
    if (ofRun === undefined || task === undefined) return null;
    ofRun.delete(token);
    this.#outCount--;
    if (ofRun.size === 0) this.#out.delete(runId);
    return task;
  }

  #countResult(
    { type, token }: Extract<Event, { type: 'task.completed' | 'task.attempt_failed' | 'task.failed' }>,
    committed: Committed,
  ): void {
    const task = this.#takeBack(token, committed);
    // Nodes fail for other reasons too: a mapping, a sub-run, nobody who answered.
    if (task === null && type === 'task.failed') return;
    const counts = this.#actions.of(task?.action ?? unknownAction);
    if (type === 'task.completed') counts.completed++;
    else if (type === 'task.failed') counts.failed++;
    else counts.retried++;
    if (task !== null) counts.durations.observe(Math.max(0, committed.at - task.at));
  }

  #end(status: string, counts: WorkflowCounts, { row: { runId, createdAt }, at }: Committed): void {
    counts.ended.set(status, (counts.ended.get(status) ?? 0) + 1);
    counts.durations.observe(Math.max(0, at - createdAt));
    this.#outCount -= this.#out.get(runId)?.size ?? 0;
    this.#out.delete(runId);
  }

  writeTo(exposition: Exposition, labels: Labels): void {
    for (const [workflow, { started, nodes, ended, durations }] of this.#workflows.entries()) {
      const named = { ...labels, workflow };
      exposition.add('heddle_runs_started_total', named, started);
      for (const [status, count] of ended) exposition.add('heddle_runs_ended_total', { ...named, status }, count);
      exposition.addHistogram('heddle_run_duration_seconds', named, durations);
      exposition.add('heddle_node_executions_total', named, nodes);
    }
    for (const [action, { completed, failed, retried, lost, putOff, durations }] of this.#actions.entries()) {
      const named = { ...labels, action };
      exposition.add('heddle_task_attempts_total', { ...named, outcome: 'completed' }, completed);
      exposition.add('heddle_task_attempts_total', { ...named, outcome: 'failed' }, failed + retried);
      exposition.add('heddle_task_retries_total', named, retried);
      exposition.add('heddle_tasks_lost_total', named, lost);
      exposition.add('heddle_tasks_without_action_total', named, putOff);
      exposition.addHistogram('heddle_task_duration_seconds', named, durations);
    }
    exposition.add('heddle_errors_total', labels, this.#errors);
  }
}
