// Remote tasks: leasing and answering tasks of an engine elsewhere, one request a call: what a worker is made of.

import type { ArtifactData } from '../actor/artifacts.ts';
import type { Published } from '../actor/publication.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { LeaseOptions, NamePage } from '../engine/tasks.ts';
import type { Publish } from '../executor/action.ts';
import type { FinishedTask, OneLease, TaskHeartbeat } from '../operations/work.ts';
import type { AnnouncedAction } from '../work/announcement.ts';
import type { Shown } from './remote-parts.ts';
import { sentJson } from './sent-json.ts';
import { TaskLink } from './task-link.ts';
import type { Transport } from './transport.ts';

export class RemoteTasks implements Shown<'tasks'> {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async lease({ signal, ...request }: LeaseOptions) {
    return (await this.#transport.call('leaseTasks', request, { signal })).tasks;
  }

  async heartbeat(tasks: readonly TaskHeartbeat[]) {
    return (await this.#transport.call('heartbeatTasks', { tasks })).tasks;
  }

  async finish(finishes: readonly FinishedTask[]) {
    const tasks = finishes.map((one) => ('output' in one ? { ...one, output: sentJson(one.output, 'output') } : one));
    return (await this.#transport.call('finishTasks', { tasks })).tasks;
  }

  async release(tasks: readonly OneLease[]) {
    return (await this.#transport.call('releaseTasks', { tasks })).tasks;
  }

  publish(lease: string, ...event: Parameters<Publish>): Promise<Published> {
    return this.#link(lease).publish(...event);
  }

  recordStep(lease: string, step: string, result?: unknown): Promise<void> {
    const kept = result === undefined ? {} : { result: sentJson(result, 'output') };
    return this.#link(lease).remember({ step, ...kept });
  }

  putArtifact(lease: string, data: ArtifactData, mimeType: string) {
    return this.#link(lease).put(data, mimeType);
  }

  getArtifact(lease: string, reference: ObjectReference) {
    return this.#link(lease).get(reference);
  }

  listArtifacts(lease: string) {
    return this.#link(lease).list();
  }

  async announce(worker: string, actions: readonly AnnouncedAction[]): Promise<void> {
    await this.#transport.call('announceActions', { worker, actions });
  }

  async withdraw(actions: readonly string[]): Promise<void> {
    await this.#transport.call('withdrawActions', { actions });
  }

  async actions(page: NamePage = {}) {
    return (await this.#transport.call('listActions', page)).items;
  }

  async workers(page: NamePage = {}) {
    return (await this.#transport.call('listWorkers', page)).items;
  }

  #link(lease: string): TaskLink {
    return new TaskLink(this.#transport, lease);
  }
}
