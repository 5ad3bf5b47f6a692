// Handlers: what workers outside do, and the artifacts that runs hand on.

import type { LeaseOptions } from '../../engine/tasks.ts';
import type { FinishedTask } from '../../operations/work.ts';
import type { LeasedTask } from '../../work/work-office.ts';
import { hasAccess, lostAccess } from '../access.ts';
import { askedPage } from '../page.ts';
import { waitFor } from '../patience.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf, RequestContext } from './handler.ts';

export const taskHandlers: HandlersOf<
  | 'leaseTasks'
  | 'heartbeatTasks'
  | 'finishTasks'
  | 'releaseTasks'
  | 'recordStep'
  | 'publishFromTask'
  | 'putTaskArtifact'
  | 'listTaskArtifacts'
  | 'getTaskArtifact'
  | 'announceActions'
  | 'withdrawActions'
  | 'listWorkers'
  | 'listActions'
> = {
  async leaseTasks({ waitMs = 0, ...request }, { engine, signal, access }) {
    const lease = async (options: LeaseOptions): Promise<readonly LeasedTask[]> => {
      const tasks = await engine.tasks.lease(options);
      if (hasAccess(access) || tasks.length === 0) return tasks;
      // AC14: whoever has lost access while a task was leased to them hears nothing of it: others may have it at once.
      await engine.tasks.release(tasks.map(({ lease: text }) => ({ lease: text })));
      throw lostAccess();
    };
    if (waitMs === 0) return { tasks: await lease(request) };
    const wait = { ...request, waitMs: engine.limits.leaseWaitMsMax };
    return { tasks: await waitFor(waitMs, { signal, access }, (patience) => lease({ ...wait, signal: patience })) };
  },
  async heartbeatTasks({ tasks }, { engine }) {
    return { tasks: await engine.tasks.heartbeat(tasks) };
  },
  async finishTasks({ tasks }, { engine }) {
    refuseBothAndNeither(tasks);
    return { tasks: await engine.tasks.finish(tasks) };
  },
  async releaseTasks({ tasks }, { engine }) {
    return { tasks: await engine.tasks.release(tasks) };
  },
  async recordStep({ lease, step, result }, { engine }) {
    await engine.tasks.recordStep(lease, step, result);
    return undefined;
  },
  publishFromTask({ lease, name, payload, ...options }, { engine }) {
    return engine.tasks.publish(lease, name, payload, options);
  },
  putTaskArtifact({ lease }, { engine, header }, bytes) {
    return engine.tasks.putArtifact(lease, bytes, mimeTypeOf(header));
  },
  async listTaskArtifacts({ lease }, { engine }) {
    return { items: await engine.tasks.listArtifacts(lease) };
  },
  getTaskArtifact({ lease, ...reference }, { engine }) {
    return engine.tasks.getArtifact(lease, reference);
  },
  async announceActions({ worker, actions }, { engine }) {
    await engine.tasks.announce(worker, actions);
    return undefined;
  },
  async withdrawActions({ actions }, { engine }) {
    await engine.tasks.withdraw(actions);
    return undefined;
  },
  listWorkers(paging, { engine }) {
    return askedPage(
      paging,
      (page) => engine.tasks.workers(page),
      ({ worker }) => worker,
    );
  },
  listActions(paging, { engine }) {
    return askedPage(
      paging,
      (page) => engine.tasks.actions(page),
      ({ name }) => name,
    );
  },
};

export const artifactHandlers: HandlersOf<'putArtifact' | 'listArtifacts' | 'getArtifact'> = {
  putArtifact(_, { engine, header }, bytes) {
    return engine.artifacts.put(bytes, mimeTypeOf(header));
  },
  listArtifacts(paging, { engine }) {
    return askedPage(
      paging,
      (page) => engine.artifacts.list(undefined, page),
      ({ id }) => id,
    );
  },
  getArtifact(reference, { engine }) {
    return engine.artifacts.get(reference);
  },
};

function mimeTypeOf(header: RequestContext['header']): string {
  return header('content-type') ?? 'application/octet-stream';
}

/** HT12: what a task came to is an output or an error: one of the two. */
function refuseBothAndNeither(tasks: readonly FinishedTask[]): void {
  if (tasks.every((task) => 'output' in task !== 'error' in task)) return;
  const message = 'Expected an output or an error of each task, but found both or neither';
  throw new RequestError(422, 'REQUEST_INVALID', message, { pointer: '/tasks' });
}
