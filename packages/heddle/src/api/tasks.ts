// Tasks: for workers outside the process: they lease tasks, report that they are alive, and answer.

import type { Artifact, ArtifactData } from '../actor/artifacts.ts';
import type { Published } from '../actor/publication.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { Publish } from '../executor/action.ts';
import type { Carrier } from '../operations/carrier.ts';
import { givenOptions } from '../operations/check-request.ts';
import type { FinishedTask, LeaseRequest, OneLease, TaskHeartbeat } from '../operations/work.ts';
import type { ActionInfo } from '../operations/workers.ts';
import type { AnnouncedAction } from '../work/announcement.ts';
import type { WorkerInfo } from '../work/seen-workers.ts';
import type { FinishAnswer, HeartbeatAnswer, ReleaseAnswer } from '../work/task-reports.ts';
import type { LeasedTask } from '../work/work-office.ts';
import { onePage, toJson } from './given.ts';
import { bytesFrom, type NamePage } from './parts.ts';

export interface LeaseOptions extends LeaseRequest {
  /** Whoever asked has gone: it gets nothing, and nothing is lost. */
  readonly signal?: AbortSignal;
}

export class Tasks {
  readonly #carrier: Carrier;

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
  }

  /** Tasks for a worker, which nobody else gets while it has them; none if there are none. */
  async lease(options: LeaseOptions): Promise<readonly LeasedTask[]> {
    const { signal, ...request } = givenOptions('lease', options);
    return (await this.#carrier.call('leaseTasks', request, { signal })).tasks;
  }

  /** The worker still has these tasks, and reports how far it is. Durable when it answers. */
  async heartbeat(tasks: readonly TaskHeartbeat[]): Promise<readonly HeartbeatAnswer[]> {
    return (await this.#carrier.call('heartbeatTasks', { tasks })).tasks;
  }

  /** What tasks came to. Durable when it answers. */
  async finish(tasks: readonly FinishedTask[]): Promise<readonly FinishAnswer[]> {
    return (await this.#carrier.call('finishTasks', { tasks })).tasks;
  }

  /** Hands tasks back, as a worker does that stops: others get them at once. */
  async release(tasks: readonly OneLease[]): Promise<readonly ReleaseAnswer[]> {
    return (await this.#carrier.call('releaseTasks', { tasks })).tasks;
  }

  /** The result of a finished step of a task: later hand-outs are given it. Durable when it answers; again changes nothing. */
  async recordStep(lease: string, step: string, result?: unknown): Promise<void> {
    await this.#carrier.call('recordStep', {
      lease,
      step,
      ...(result === undefined ? {} : { result: toJson(result) }),
    });
  }

  /** Publishes an event in the name of the run of a task, as a local action does. */
  async publish(lease: string, ...[name, payload = {}, options = {}]: Parameters<Publish>): Promise<Published> {
    const request = { ...givenOptions('publish', options), lease, name, payload: toJson(payload) };
    return this.#carrier.call('publishFromTask', request);
  }

  /** Durable, as an artifact of the run of a task, when it answers. */
  async putArtifact(lease: string, data: ArtifactData, mimeType: string): Promise<ObjectReference> {
    return this.#carrier.call('putTaskArtifact', { lease }, { bytes: bytesFrom(data), mimeType });
  }

  /** Of what the task may read. */
  async getArtifact(lease: string, reference: ObjectReference): Promise<Artifact> {
    return this.#carrier.call('getTaskArtifact', { ...reference, lease });
  }

  /** What the task may read. */
  async listArtifacts(lease: string): Promise<readonly ObjectReference[]> {
    return (await this.#carrier.call('listTaskArtifacts', { lease })).items;
  }

  /** What a worker says of the actions that it does, so that nodes are checked and charged by it. Durable when it answers. */
  async announce(worker: string, actions: readonly AnnouncedAction[]): Promise<void> {
    await this.#carrier.call('announceActions', { worker, actions });
  }

  /** Takes back what was announced; tasks that wait keep waiting. */
  async withdraw(actions: readonly string[]): Promise<void> {
    await this.#carrier.call('withdrawActions', { actions });
  }

  /** All actions that are known, in this process or outside, by name, a page at a time. */
  async actions(page: NamePage = {}): Promise<readonly ActionInfo[]> {
    return this.#carrier.list('listActions', {}, { ...onePage, ...givenOptions('actions', page) });
  }

  /** Workers that have asked for tasks under a name since the engine was opened, by name: a page at a time. */
  async workers(page: NamePage = {}): Promise<readonly WorkerInfo[]> {
    return this.#carrier.list('listWorkers', {}, { ...onePage, ...givenOptions('workers', page) });
  }
}
