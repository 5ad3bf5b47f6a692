// Check commits: follows a world from commit to commit (S). Every run has a check of its own, which is fed what was
// committed; the rows of the runs are compared with what their journals say.
//
// Always true: nothing is asked of the engine; only what was committed is looked at.

import type { Commit, OutboxRow, RunRow } from '../../packages/heddle/src/actor/ports.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Charge } from '../../packages/heddle/src/core/effects.ts';
import type { Event, EventOf } from '../../packages/heddle/src/core/events.ts';
import type { Limits } from '../../packages/heddle/src/definition/limits.ts';
import type { CallUnderWay } from '../../packages/heddle/src/simulation/client.ts';
import type { CommitPlace } from '../../packages/heddle/src/simulation/world.ts';
import { CallCount } from './call-count.ts';
import { FleetCheck } from './check-fleet.ts';
import { JournalCheck, readEvents } from './check-journal.ts';
import { letterIn } from './check-letters.ts';
import { Mail } from './check-mail.ts';
import { shardIn } from './check-places.ts';
import type { WorkerCheck, WorkerFault } from './check-workers.ts';
import { Drawing } from './drawing.ts';
import type { RunFacts } from './run-facts.ts';
import type { Violation } from './violation.ts';

export interface CommitCheckOptions {
  readonly limits: Partial<Limits>;
  readonly hash: (text: string) => string;
  /** The stored text of a definition; undefined if there is none. */
  readonly bodyOf: (workflow: string, version: number) => string | undefined;
  /** The number of the process that is alive; what it has handed out is not lost. Absent if nobody knows. */
  readonly processOf?: () => number;
  /** Actions may ask for a longer back-off than their policy gives. */
  readonly workersAskForDelays?: true;
  /** Journals are read afterwards: what was sent has been received since. */
  readonly isReading?: true;
  /** Absent where nobody sees the workers. */
  readonly workers?: WorkerCheck;
}

/** By run and row. Messages to whoever listens to the ends of runs are not of the run's own making. */
function bySender(outbox: readonly OutboxRow[]): ReadonlyMap<string, readonly OutboxRow[]> {
  const senders = new Map<string, OutboxRow[]>();
  for (const row of outbox) {
    const [, runId, seq] = row.id.split('/');
    if (row.to === '@triggers' || row.to === '@mail' || seq === undefined) continue;
    const key = `${runId}/${Number(seq)}`;
    const rows = senders.get(key);
    if (rows) rows.push(row);
    else senders.set(key, [row]);
  }
  return senders;
}

/** What runs send to the ledger of another shard, by run; a row of a journal has as many of them as it lacks messages. */
function chargesIn(outbox: readonly OutboxRow[]) {
  const charges = new Map<string, OutboxRow[]>();
  for (const row of outbox) {
    const { to, message } = letterIn(row) ?? row;
    if (row.to !== '@mail' || to !== '@credits') continue;
    const { runId } = message as unknown as Charge; // runs send nothing else there
    charges.set(runId, [...(charges.get(runId) ?? []), { ...row, to, message: JSON.stringify(message) }]);
  }
  return {
    take: ({ runId, messages }: RunFacts, known: number) =>
      charges.get(runId)?.splice(0, Math.max(0, messages.length - known)) ?? [],
    get left(): Violation | null {
      const [row] = [...charges.values()].flat();
      if (!row) return null;
      return {
        invariant: 'I32',
        runId: '',
        seq: 0,
        message: `Expected letter ${row.id} to follow from a row, but it does not`,
      };
    },
  };
}

export class CommitCheck {
  readonly checks = new Map<string, JournalCheck>();
  /** The first that was broken. */
  violation: Violation | null = null;
  readonly #options: CommitCheckOptions;
  readonly #drawings = new Map<string, Drawing>();
  readonly #calls = new CallCount();
  /** By shard: whose the newest commit was; where there is a fence, its owner, for another may be alive by then. */
  readonly #processes = new Map<number, string | number | null>();
  readonly #mail = new Mail((runId) => this.checks.get(runId)?.facts);
  readonly #fleet = new FleetCheck();

  constructor(options: CommitCheckOptions) {
    this.#options = options;
  }

  /** After each commit, in order; `place` is absent where journals are read afterwards. */
  add(commit: Commit, place?: CommitPlace): Violation | null {
    const { runs, journal, outboxAdded, outboxDone } = commit;
    const process = place?.stamp?.owner ?? this.#options.processOf?.() ?? null;
    const shard = place?.shard ?? 0;
    if (process !== this.#processes.get(shard)) this.#mail.passOn((to) => shardIn(to) === shard);
    this.#processes.set(shard, process);
    const sent = bySender(outboxAdded);
    const letters = chargesIn(outboxAdded);
    for (const row of journal) {
      const events = readEvents(row);
      const check = this.#checkOf(row.runId, events);
      check.facts.process = process;
      this.violation ??= check.feedStored(row, this.#options.hash, events);
      if (this.#options.isReading) continue;
      const own = sent.get(`${row.runId}/${row.seq}`) ?? [];
      this.violation ??= check.checkSent([...own, ...letters.take(check.facts, own.length)]);
      this.violation ??= this.#fleet.addEvents(check.facts, events);
    }
    this.violation ??= letters.left;
    for (const { row } of runs) this.violation ??= this.#compare(row);
    this.#mail.sent(outboxAdded);
    this.violation ??= this.#mail.received(outboxDone);
    if (place) this.violation ??= this.#fleet.add(commit, place);
    return this.violation;
  }

  /** Whenever a worker is given a task: it was handed out before, and for this once. */
  addCall(call: CallUnderWay): void {
    const { runId } = call;
    const facts = this.checks.get(runId)?.facts;
    const message = facts ? this.#calls.add(facts, call) : 'Expected a task of a run that is there, but it is not';
    if (message !== null) this.violation ??= { invariant: 'I22', runId, seq: facts?.seq ?? 0, message };
    if (facts) this.#notice(facts, runId, this.#options.workers?.begin(facts, call));
  }

  endCall(call: CallUnderWay): void {
    const facts = this.checks.get(call.runId)?.facts;
    if (facts) this.#notice(facts, call.runId, this.#options.workers?.end(facts, call));
  }

  #notice({ seq }: RunFacts, runId: string, fault: WorkerFault | null | undefined): void {
    if (fault) this.violation ??= { ...fault, runId, seq };
  }

  /** A run that was called off before it began has a row and no journal. */
  #compare(row: RunRow): Violation | null {
    const check = this.checks.get(row.runId);
    if (check) return check.compare(row);
    if (row.seq === 0 && row.status === 'cancelled' && row.endedAt !== null) return null;
    const message = `Expected a run with a journal, but run ${row.runId} is ${row.status} and has none`;
    return { invariant: 'I32', runId: row.runId, seq: row.seq, message };
  }

  #checkOf(runId: string, [start]: readonly Event[]): JournalCheck {
    const known = this.checks.get(runId);
    if (known) return known;
    const { workflow, version } = start as EventOf<'workflow.started'>; // else the check says so
    const check = new JournalCheck(this.#drawingOf(workflow, version), runId);
    check.facts.workersAskForDelays = this.#options.workersAskForDelays ?? false;
    this.checks.set(runId, check);
    return check;
  }

  #drawingOf(workflow: string, version: number): Drawing {
    const key = `${version} ${workflow}`;
    const known = this.#drawings.get(key);
    if (known) return known;
    const body = this.#options.bodyOf(workflow, version);
    if (body === undefined) throw new Error(`Expected version ${version} of ${workflow} to be stored, but it is not`);
    const drawing = new Drawing(JSON.parse(body) as Json, this.#options.limits);
    this.#drawings.set(key, drawing);
    return drawing;
  }
}
