// Retention: how long runs that have ended are kept, by workflow. The rules are records; once an hour, and whenever one is
// set, the runs that are past theirs are deleted. Rules KP….
//
// Always true: without a rule nothing is deleted; one sweep at a time, in small steps, which ends when the engine closes.

import { readAllRecords } from '../actor/all-records.ts';
import { removeOrphans } from '../actor/artifacts.ts';
import type { DefinitionRow, RunLists, RunPage, RunPlace, RunRow } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { closedError, readOnlyError } from '../actor/refusals.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { shardOf } from '../base/shard.ts';
import { terminalStatuses } from '../core/views/status.ts';
import { slicedPage } from '../operations/pages.ts';
import type { RetentionRule, Sweep, WorkflowRetention } from '../operations/retention.ts';
import { deleteTree, deletionKind, removeRemains } from './delete-run.ts';
import type { Host } from './host.ts';
import type { Performers } from './performer.ts';

const kind = 'retention';
/** The rule of workflows without one. */
export const everyWorkflow = '*';
/** Of runs that rules are for. */
export const sweptStatuses = terminalStatuses;
const sweepEveryMs = 3_600_000;
const dayMs = 86_400_000;
const runsPerPage = 200;
const definitionsPerPage = 100;
const orphansPerPage = 100;
const orphanPages = 100;

export const retentionPerformers: Performers<'setRetention' | 'listRetention' | 'removeRetention' | 'sweep'> = {
  setRetention({ retention }, { workflow, ...rule }) {
    return retention.set(workflow, rule);
  },

  async listRetention({ retention }, paging) {
    return slicedPage(await retention.list(), paging, ({ workflow }) => workflow);
  },

  async removeRetention({ retention }, { workflow }) {
    return { removed: await retention.remove(workflow) };
  },

  async sweep({ retention }) {
    const { deleted } = await retention.sweep();
    return { deleted };
  },
};

interface SweeperOptions {
  /** The runs of all shards, if this is one of several. */
  readonly pageRuns?: RunLists['pageRuns'] | null;
  /** No hour is kept: the host calls when a run may be past its rule. */
  readonly isSweptByHost?: boolean;
}

export interface Swept extends Sweep {
  /** For a host that calls: when the next of the runs that have ended here is past its rule; null: none will be. */
  readonly nextAt: number | null;
}

/** What a sweep has come to so far. */
type Sweeping = { -readonly [Member in keyof Swept]: Swept[Member] };

export class RetentionSweeper {
  readonly #host: Host;
  readonly #pageAll: RunLists['pageRuns'] | null;
  readonly #isCalled: boolean;
  #isClosed = false;
  #sweeping: Promise<unknown> | null = null;
  #disarm: (() => void) | null = null;
  #orphansAfter: string | null = null;

  constructor(host: Host, { pageRuns = null, isSweptByHost = false }: SweeperOptions = {}) {
    this.#host = host;
    this.#pageAll = pageRuns;
    this.#isCalled = isSweptByHost;
  }

  /** Durable when it answers; the sweep begins by itself. */
  async set(workflow: string, rule: RetentionRule): Promise<WorkflowRetention> {
    this.#refuse();
    const { days, keepLast } = rule;
    if (days === undefined && keepLast === undefined)
      throw new HeddleError('OPTION_INVALID', 'Expected days or keepLast of a retention rule, but found neither');
    await this.#refuseMore(workflow);
    await this.#write(workflow, JSON.stringify({ days, keepLast }));
    this.#arm(this.#host.clock.now());
    return { workflow, ...rule };
  }

  async list(): Promise<readonly WorkflowRetention[]> {
    const records = await readAllRecords(this.#host.store, kind);
    return records.map((record) => ({ workflow: record.key, ...(valueOf(record) as RetentionRule) })); // `set` wrote it
  }

  /** Whether there was one. */
  async remove(workflow: string): Promise<boolean> {
    this.#refuse();
    if ((await this.#host.store.readRecord(kind, workflow)) === null) return false;
    await this.#write(workflow, null);
    if ((await this.#host.store.listRecords(kind, { limit: 1 })).length === 0) await this.start();
    return true;
  }

  /** Deletes now what is past its rule; it is done when this answers. */
  async sweep(): Promise<Swept> {
    this.#refuse();
    const sweeping = this.#host.turns.take('deletion', () => this.#sweep());
    const ended = sweeping.then(
      () => undefined,
      () => undefined, // whoever asked for it is told
    );
    this.#sweeping = ended;
    void ended.then(() => {
      if (this.#sweeping === ended) this.#sweeping = null;
    });
    return sweeping;
  }

  /** KP3: at the start of an engine what another left is gone on with, and then once an hour. */
  async start(): Promise<void> {
    const { store, clock } = this.#host;
    try {
      const hasRules = !this.#isCalled && (await store.listRecords(kind, { limit: 1 })).length > 0;
      const dueAt = await store.nextDueAt(deletionKind);
      if (hasRules) this.#arm(clock.now());
      else if (dueAt !== null) this.#arm(dueAt);
      else this.#disarm?.();
    } catch (error) {
      this.#tryLater(error);
    }
  }

  /** Begins nothing more; answers with the end of what is under way, if something is. */
  close(): Promise<unknown> | null {
    this.#isClosed = true;
    this.#disarm?.();
    return this.#sweeping;
  }

  #refuse(): void {
    if (this.#host.readOnly) throw readOnlyError();
    if (this.#isClosed || this.#host.runner.isClosed) throw closedError();
  }

  /** KP7: a sweep reads all rules, so there are only so many. */
  async #refuseMore(workflow: string): Promise<void> {
    const { store, limits } = this.#host;
    if ((await store.readRecord(kind, workflow)) !== null) return;
    const { retentionRulesMax: limit } = limits;
    if ((await store.listRecords(kind, { limit })).length < limit) return;
    const message = `Expected at most ${limit} retention rules (limit retentionRulesMax), but there are as many; remove one, or set the rule of "*"`;
    throw new HeddleError('LIMIT_EXCEEDED', message, { limit: 'retentionRulesMax' });
  }

  async #write(key: string, value: string | null): Promise<void> {
    await this.#host.store.commit(sideCommit({ records: [{ kind, key, value, dueAt: null }] }));
  }

  #arm(at: number): void {
    this.#disarm?.();
    if (this.#isClosed) return;
    this.#disarm = this.#host.clock.wakeAt(at, () => {
      void this.sweep().catch((error: unknown) => this.#tryLater(error));
    });
  }

  #tryLater(error: unknown): void {
    if (this.#isClosed) return;
    this.#host.observers.broken(error);
    this.#arm(this.#host.clock.now() + sweepEveryMs);
  }

  async #sweep(): Promise<Swept> {
    const rules = new Map((await this.list()).map((rule) => [rule.workflow, rule]));
    const swept: Sweeping = { deleted: 0, nextAt: null };
    for (const workflow of rules.size === 0 ? [] : await this.#workflows()) {
      const rule = rules.get(workflow) ?? rules.get(everyWorkflow);
      if (rule) await this.#sweepWorkflow(workflow, rule, swept);
    }
    await removeRemains(this.#host, () => this.#isClosed);
    await this.#removeOrphans();
    const dueAt = await this.#host.store.nextDueAt(deletionKind);
    const next = this.#host.clock.now() + sweepEveryMs;
    if (rules.size > 0 && !this.#isCalled) this.#arm(next);
    else if (dueAt !== null) this.#arm(Math.max(dueAt, next));
    return swept;
  }

  /** A part of them with every sweep: each sweep goes on where the last one stopped. */
  async #removeOrphans(): Promise<void> {
    for (let page = 0; page < orphanPages && !this.#isClosed; page++) {
      this.#orphansAfter = await removeOrphans(this.#host.store, this.#orphansAfter, orphansPerPage);
      if (this.#orphansAfter === null) return;
    }
  }

  /** Those with a definition, and what was called off before it knew its own. */
  async #workflows(): Promise<ReadonlySet<string>> {
    const found = new Set(['']);
    for (let last: DefinitionRow | undefined; ; ) {
      const query = { limit: definitionsPerPage, ...(last ? { after: last } : {}) };
      const page: readonly DefinitionRow[] = await this.#host.store.listDefinitions(query);
      for (const { id } of page) found.add(id);
      last = page.at(-1);
      if (page.length < definitionsPerPage) return found;
    }
  }

  // KP2: by age, by number, or by both: then a run goes only if both let it.
  async #sweepWorkflow(workflow: string, { days, keepLast = 0 }: RetentionRule, swept: Sweeping): Promise<void> {
    const { store, clock } = this.#host;
    const endedBefore = days === undefined ? Number.POSITIVE_INFINITY : clock.now() - days * dayMs;
    let kept = 0;
    // What ended before was created before: the newer ones need not be looked at, unless they count.
    const isEachLookedAt = days === undefined || keepLast > 0 || this.#isCalled;
    const older = isEachLookedAt ? {} : { createdBefore: endedBefore + 1 };
    const query = { workflow, statuses: sweptStatuses, isRoot: true, limit: runsPerPage, ...older } as const;
    // The newest are those of all shards; each shard deletes its own.
    const pageAll = keepLast > 0 ? this.#pageAll : null;
    const isOwn = (runId: string): boolean => pageAll === null || shardOf(runId) === (store.shard ?? 0);
    for (let after: RunPlace | null | undefined; after !== null && !this.#isClosed; ) {
      const asked = { ...query, ...(after ? { after } : {}) };
      const page: RunPage = await (pageAll?.(asked) ?? store.pageRuns(asked));
      for (const row of page.rows) {
        if (this.#isClosed) continue;
        if (kept < keepLast) kept += 1;
        else if (isOwn(row.runId)) await this.#sweepRun(row, endedBefore, swept);
      }
      after = page.next;
    }
  }

  /** One that is past its rule and cannot go (a run below it is set aside) is looked at again a day later. */
  async #sweepRun(row: RunRow, endedBefore: number, swept: Sweeping): Promise<void> {
    const early = (row.endedAt ?? 0) - endedBefore;
    if (early <= 0 && (await deleteTree(this.#host, row)) === null) swept.deleted += 1;
    else
      swept.nextAt = Math.min(
        swept.nextAt ?? Number.POSITIVE_INFINITY,
        this.#host.clock.now() + (early > 0 ? early : dayMs),
      );
  }
}
