// Assemble: the parts of an engine, put together: who hands what to whom.

import { Definitions } from '../actor/definitions.ts';
import { triggersAddress } from '../actor/finished-run.ts';
import { Observers } from '../actor/observers.ts';
import type { Office } from '../actor/office.ts';
import type { Store } from '../actor/ports.ts';
import { Runner } from '../actor/runner.ts';
import type { Reply } from '../core/commands.ts';
import { creditsAddress } from '../core/effects.ts';
import { Ledger } from '../credits/ledger.ts';
import type { PublishFor } from '../executor/attempt.ts';
import { createExecutor, type LocalExecutor } from '../executor/executor.ts';
import { keptDepth } from '../triggers/occasions.ts';
import { TriggerOffice } from '../triggers/trigger-office.ts';
import { checkedLimits } from './check-options.ts';
import type { EngineOptions } from './engine.ts';
import { gatherActions } from './gather-actions.ts';
import type { Host } from './host.ts';
import { portsOf } from './node-type.ts';
import { checkedPublication } from './publish.ts';
import { runIdMaker } from './run-id.ts';
import { Starter } from './starter.ts';
import { systemClock } from './system-clock.ts';

export interface Parts {
  readonly host: Host;
  readonly starter: Starter;
  readonly office: TriggerOffice;
  readonly ledger: Ledger;
}

export function assemble(store: Store, options: EngineOptions): Parts {
  const limits = checkedLimits(options.limits);
  const clock = options.clock ?? systemClock();
  const observers = new Observers(options);
  const { loadAction, readOnly = false } = options;
  const actions = gatherActions(options, limits);
  const executors: LocalExecutor[] = [];
  const costOf = (action: string): number => executors[0]?.costOf(action) ?? 0;
  const actionNames = () => executors[0]?.actionNames() ?? null;
  const definitions = new Definitions(store, limits, { costOf, actionNames, nodeTypes: portsOf(actions) });
  const newRunId = runIdMaker(clock);
  const world = { store, clock, limits, observers };
  const ledger = new Ledger({
    ...world,
    deliver: (to, message, outboxId) => runner.deliver(to, message, outboxId),
    report: (error) => observers.broken(error),
  });
  const office = new TriggerOffice({
    ...world,
    newId: newRunId,
    submit: async (runId, command) => (await runner.submit(runId, { type: 'command', command })) as Reply, // as commands do
    start: (start) => starter.fire(start),
  });
  const publish: PublishFor = async ({ runId, trigger }, ...event) =>
    office.publish(checkedPublication(limits, event), { runId, depth: keptDepth(trigger) });
  const runner = new Runner({
    ...world,
    definitions,
    readOnly,
    offices: new Map<string, Office>([
      [creditsAddress, ledger],
      [triggersAddress, office],
    ]),
    listen: (runId, wait) => office.listen(runId, wait),
    hasFinishedListeners: (workflow) => office.hasFinishedListeners(workflow),
    makeExecutor: (report) => {
      const executor = createExecutor({ clock, limits, actions, loadAction, store, publish, report });
      executors.push(executor);
      return executor;
    },
  });
  const isExecuting = (runId: string, tokenId: number) => executors.some((e) => e.isExecuting(runId, tokenId));
  const host: Host = { ...world, definitions, runner, newRunId, isExecuting, readOnly };
  const starter = new Starter(host);
  return { host, starter, office, ledger };
}
