// Handlers: what workers outside do, and the artifacts that runs hand on.

import type { JsonObject } from '../../base/json.ts';
import type { FinishedTask, LeaseOptions } from '../../sdk/tasks.ts';
import type { LeasedTask } from '../../work/work-office.ts';
import { hasAccess, lostAccess } from '../access.ts';
import type { Contract } from '../contract/contract.ts';
import type { RequestOf } from '../contract/route.ts';
import { askedPage } from '../page.ts';
import { waitFor } from '../patience.ts';
import { RequestError } from '../problem-document.ts';
import type { HandlersOf, Surroundings } from './handler.ts';

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
  async leaseTasks({ body }, { engine, signal, access }) {
    const { waitMs = 0, ...request } = body;
    const lease = async (options: LeaseOptions): Promise<LeasedTask[]> => {
      const tasks = await engine.tasks.lease(options);
      if (hasAccess(access) || tasks.length === 0) return [...tasks];
      // AC14: whoever has lost access while a task was leased to them hears nothing of it: others may have it at once.
      await engine.tasks.release(tasks.map(({ lease: text }) => ({ lease: text })));
      throw lostAccess();
    };
    if (waitMs === 0) return { tasks: await lease(request) };
    const wait = { ...request, waitMs: engine.limits.leaseWaitMsMax };
    return { tasks: await waitFor(waitMs, { signal, access }, (patience) => lease({ ...wait, signal: patience })) };
  },
  async heartbeatTasks({ body }, { engine }) {
    return { tasks: [...(await engine.tasks.heartbeat(body.tasks))] };
  },
  async finishTasks({ body }, { engine }) {
    return { tasks: [...(await engine.tasks.finish(body.tasks.map(finishOf)))] };
  },
  async releaseTasks({ body }, { engine }) {
    return { tasks: [...(await engine.tasks.release(body.tasks))] };
  },
  async recordStep({ body }, { engine }) {
    await engine.tasks.recordStep(body.lease, body.step, body.result);
    return undefined;
  },
  async publishFromTask({ body }, { engine }) {
    const { lease, name, payload = {}, ...options } = body;
    return (await engine.tasks.publish(lease, name, payload, options)) as unknown as JsonObject; // plain JSON
  },
  putTaskArtifact({ params, body }, { engine, header }) {
    return engine.tasks.putArtifact(params.lease, body, mimeTypeOf(header));
  },
  async listTaskArtifacts({ params }, { engine }) {
    return { items: [...(await engine.tasks.listArtifacts(params.lease))] };
  },
  getTaskArtifact({ params, query }, { engine }) {
    return engine.tasks.getArtifact(params.lease, { id: params.id, mimeType: query.mimeType });
  },
  async announceActions({ params, body }, { engine }) {
    await engine.tasks.announce(params.worker, body.actions);
    return undefined;
  },
  async withdrawActions({ body }, { engine }) {
    await engine.tasks.withdraw(body.actions);
    return undefined;
  },
  listWorkers({ query }, { engine }) {
    return askedPage(
      query,
      (page) => engine.tasks.workers(page),
      ({ worker }) => worker,
    );
  },
  listActions({ query }, { engine }) {
    return askedPage(
      query,
      (page) => engine.tasks.actions(page),
      ({ name }) => name,
    );
  },
};

export const artifactHandlers: HandlersOf<'putArtifact' | 'listArtifacts' | 'getArtifact'> = {
  putArtifact({ body }, { engine, header }) {
    return engine.artifacts.put(body, mimeTypeOf(header));
  },
  async listArtifacts({ query }, { engine }) {
    return askedPage(
      query,
      (page) => engine.artifacts.list(undefined, page),
      ({ id }) => id,
    );
  },
  getArtifact({ params, query }, { engine }) {
    return engine.artifacts.get({ id: params.id, mimeType: query.mimeType });
  },
};

function mimeTypeOf(header: Surroundings['header']): string {
  return header('content-type') ?? 'application/octet-stream';
}

type Given = RequestOf<Contract['finishTasks']>['body']['tasks'][number];

/** HT12: what a task came to is an output or an error: one of the two. */
function finishOf({ lease, output, error, ...more }: Given): FinishedTask {
  if (error === undefined && output !== undefined) return { lease, output };
  if (error !== undefined && output === undefined) return { lease, error, ...more };
  const message = 'Expected an output or an error of each task, but found both or neither';
  throw new RequestError(422, 'REQUEST_INVALID', message, { pointer: '/tasks' });
}
