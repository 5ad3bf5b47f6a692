import { expect, it } from 'vitest';
import type { Task } from '../actor/ports.ts';
import { defaultLimits } from '../definition/limits.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { Crew } from './crew.ts';
import { makeTask } from './executor.testsuite.ts';
import { createRegistry } from './executor.ts';
import { TaskArtifacts } from './task-artifacts.ts';

it('[SH11] a shard that comes back at once keeps its tasks, although it had left', async () => {
  const clock = new VirtualClock();
  const limits = defaultLimits;
  const work = () => new Promise((resolve) => clock.schedule(clock.now() + 50, () => resolve({})));
  const registry = createRegistry({ clock, limits, actions: { work } });
  const reported: string[] = [];
  const options = {
    clock,
    limits,
    registry,
    report: ({ runId }: Pick<Task, 'runId'>) => void reported.push(runId),
    artifactsFor: (task: Task) => new TaskArtifacts(task, { store: memoryStore(), limits }),
  };
  const crew = new Crew();
  crew.join(0, { ...options });
  await crew.join(1, { ...options }).close(0);
  crew.join(1, { ...options }).dispatch(makeTask({ runId: 'run~1' }));
  await clock.advance(100);
  expect(reported).toEqual(['run~1']);
});
