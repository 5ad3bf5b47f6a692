// Oracle: walks one program along with the journal of one run. What nobody could foresee (results, failures, answers,
// times, and the order of what happens at once) is given to it event by event; everything else must be as it says.

import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { type EventOf, isSame, must, mustBe, show } from './difference.ts';
import { GroupReader, type RunEnd } from './group-reader.ts';
import type { Program } from './program.ts';
import { PromptQueue } from './prompt-queue.ts';
import { Stage } from './stage.ts';
import type { Thread } from './thread.ts';
import { checkTimer } from './timers.ts';
import { walkProgram } from './walk.ts';

export class Oracle {
  readonly program: Program;
  readonly stage: Stage;
  readonly groups: GroupReader;
  readonly queue = new PromptQueue();
  isRoot = true;
  isPaused = false;
  /** It was paused until this row. */
  isGoingOn = false;
  isSuspended = false;
  end: RunEnd | null = null;
  output: JsonObject | undefined;
  errorCode: string | null = null;
  /** Events that the run has taken, by id, and the step at which it first did. */
  readonly received = new Map<string, number>();
  /** Tokens whose result came while the run was paused. */
  readonly held = new Set<number>();
  /** The tokens of all that came meanwhile and has not had its turn, in order. */
  readonly waiting: number[] = [];
  /** Of those that have their turn in this row. */
  readonly taken = new Set<number>();

  constructor(program: Program, runId: string, hasWindows: boolean) {
    this.program = program;
    this.stage = new Stage(runId, { isSerial: program.inputPolicy === 'serial', hasWindows });
    this.groups = new GroupReader(this.stage);
  }

  begin({ input, deadline, at, parent }: EventOf<'workflow.started'>): void {
    const { timeoutMs } = this.program;
    must(this.stage.threads.size === 0, () => 'Expected the run to start once');
    mustBe(deadline, timeoutMs === null ? null : at + timeoutMs, 'the deadline of the run');
    this.stage.deadline = deadline;
    this.isRoot = parent === null;
    this.stage.start(this.stage.root, null, (thread) => walkProgram(thread, this.program, (input as JsonObject).x));
  }

  /** An event of a token is one of its thread. */
  tell(event: RunEvent & { readonly token: number }): void {
    const thread = this.stage.byToken.get(event.token);
    must(thread !== undefined, () => `Expected no event of token ${event.token}, for it does not live`);
    if (event.type === 'task.dispatched') this.#checkTurn(thread);
    if (this.isGoingOn && isResult.has(event.type))
      must(this.taken.has(event.token), () => `Expected no result of token ${event.token} to have come meanwhile`);
    if (isTimer(event, thread)) checkTimer(this.stage, { at: thread.dueAt, kind: 'token', id: event.token });
    this.stage.advance(thread, event);
  }

  /** First in, first out. */
  #checkTurn({ place, token }: Thread): void {
    for (const other of this.stage.threads)
      must(
        other.rest !== 'ready' || other.place >= place,
        () => `Expected ${other.token} to have its turn before ${token}`,
      );
  }

  createTokens(event: EventOf<'token.created'>): void {
    const { token, node, branch, count = 1 } = event;
    for (let i = 0; i < count; i++) {
      const frame = this.groups.frame([branch[0], branch[1] + i]);
      if (!frame.hasBegun) frame.place?.group.begin(frame);
      const isOnTransition = event.via !== undefined;
      const thread = [...frame.threads].find(
        (t) => t.rest === 'entering' && t.node === node && t.isOnTransition === isOnTransition,
      );
      must(thread !== undefined, () => `Expected no token at node ${node} of branch ${show(branch)}`);
      this.stage.alive.add(token + i);
      this.stage.byToken.set(token + i, thread);
      this.stage.advance(thread, { ...event, token: token + i });
    }
  }

  endToken(event: EventOf<'token.completed' | 'task.failed'>): void {
    const thread = this.stage.byToken.get(event.token);
    must(thread !== undefined, () => `Expected no end of token ${event.token}, for it does not live`);
    if (event.type === 'task.failed' && thread.rest === 'listening')
      checkTimer(this.stage, { at: thread.dueAt, kind: 'token', id: event.token });
    this.stage.endToken(event.token);
    this.stage.advance(thread, event);
  }

  write({ branch, writes }: EventOf<'context.updated'>): void {
    const frame = this.groups.frame(branch);
    const thread = [...frame.threads].find(({ toWrite }) => toWrite !== null && isSame(toWrite, writes));
    must(thread !== undefined, () => `Expected nobody to write ${show(writes)} in branch ${show(branch)}`);
    frame.write(thread.toWrite ?? []);
    thread.toWrite = null;
  }

  hearLate({ childRunId }: EventOf<'subworkflow.ended_late'>): void {
    must(this.stage.givenUp.delete(childRunId), () => `Expected sub-run ${childRunId} not to be told of`);
  }

  /** All waits that a run has when an event comes may take it; one that begins later waits for another. */
  receive(event: EventOf<'event.received'>): void {
    const first = this.received.get(event.eventId) ?? this.stage.step;
    this.received.set(event.eventId, first);
    const since = this.stage.byToken.get(event.token)?.since ?? 0;
    must(since < first, () => `Expected token ${event.token} not to take an event that the run had taken before`);
    this.tell(event);
  }

  /** Who had been handed out goes to the end of the line, in the order of the event. */
  lose(event: EventOf<'tasks.lost'>): void {
    const { threads, byToken } = this.stage;
    const lost = [...threads].filter(({ rest, token }) => rest === 'working' && !this.held.has(token ?? 0));
    const tokens = new Set(lost.map(({ token }) => token));
    must(
      event.tokens.length === tokens.size && event.tokens.every((token) => tokens.has(token)),
      () => `Expected tokens ${[...tokens].join()} to be lost`,
    );
    for (const token of event.tokens) this.stage.advance(byToken.get(token) as Thread, event); // one of `lost`
  }

  hold({ command }: EventOf<'workflow.held'>): void {
    must(this.isPaused || this.waiting.length > 0, () => 'Expected nothing to be held, for the run is not paused');
    const token = Number(command.token);
    const thread = this.stage.byToken.get(token);
    const isOld =
      command.type === 'task.result' && (thread?.rest !== 'working' || thread.dispatch !== command.dispatch);
    if (!isOld) this.held.add(token);
    this.waiting.push(token);
  }

  pause(): void {
    mustBe(this.isPaused, false, 'whether the run was paused');
    this.isPaused = true;
  }

  resume(keepsHeld: boolean): void {
    mustBe(this.isPaused, true, 'whether the run was paused');
    this.isPaused = false;
    this.isGoingOn = true;
    if (keepsHeld) return;
    while (this.waiting.length > 0) this.takeHeld();
  }

  takeHeld(): void {
    must(!this.isPaused && this.waiting.length > 0, () => 'Expected nothing to have its turn, for nothing was held');
    this.isGoingOn = true;
    const token = Number(this.waiting.shift());
    if (this.held.has(token)) this.taken.add(token);
  }

  forgetTaken(): void {
    for (const token of this.taken) this.held.delete(token);
    this.taken.clear();
  }

  suspend(isSuspended: boolean): void {
    mustBe(this.isSuspended, !isSuspended, 'whether the run was suspended');
    this.isSuspended = isSuspended;
  }

  finish(end: RunEnd, errorCode: string | null = null): void {
    this.stage.clear(this.stage.root);
    this.end = end;
    this.errorCode = errorCode;
  }

  complete({ output }: EventOf<'workflow.completed'>): void {
    const { threads, root } = this.stage;
    must(threads.size === 0 && !this.isPaused, () => `Expected the run to go on, for ${threads.size} threads live`);
    mustBe(this.stage.openGroups.size, 0, 'the number of groups that are open at the end');
    mustBe(output, { x: root.read('state.x'), y: root.read('output.x') }, 'the output');
    this.output = output as JsonObject; // by the line above
    this.finish('completed');
  }

  timeOut({ at }: EventOf<'workflow.timed_out'>): void {
    const { deadline } = this.stage;
    must(deadline !== null && at >= deadline, () => `Expected the run to time out at ${deadline}`);
    this.finish('timed_out', 'RUN_TIMED_OUT');
  }
}

/** What comes from outside, and is kept while the run is paused. */
const isResult: ReadonlySet<RunEvent['type']> = new Set([
  'task.completed',
  'task.attempt_failed',
  'subworkflow.completed',
  'input.resumed',
  'event.received',
]);

function isTimer({ type }: RunEvent, { rest }: Thread): boolean {
  return type === 'timer.fired' || type === 'input.expired' || (type === 'subworkflow.timed_out' && rest === 'calling');
}
