// Shard tasks: in the main thread, the tasks of one shard. They join the crew of all shards, so that limits are one; what they
// ask for and come to goes to the thread of their shard.

import type { Task } from '../../actor/ports.ts';
import { checkedPublication } from '../../engine/publish.ts';
import type { ActionArtifacts } from '../../executor/action.ts';
import type { Crew } from '../../executor/crew.ts';
import type { ExecutorOptions } from '../../executor/executor.ts';
import { nobodyOutside } from '../../executor/outside.ts';
import type { TaskRouter } from '../../executor/task-router.ts';
import type { TaskSecrets } from '../../executor/task-secrets.ts';
import { type CrossingTask, keyOf, nameOf, type Progressed, TaskPacker } from './crossing-task.ts';
import type { ArtifactAsk } from './far-crew.ts';
import type { Handlers, Line } from './line.ts';

export interface ShardTasksOptions extends Pick<ExecutorOptions, 'clock' | 'limits' | 'registry'> {
  readonly shard: number;
  readonly crew: Crew;
  readonly line: Line;
  /** Actions that nobody had may be there by now; `isNews`: also those that no task has waited for. */
  readonly find: (names: readonly string[], isNews: boolean) => unknown;
}

export class ShardTasks {
  readonly router: TaskRouter;
  readonly #options: ShardTasksOptions;
  readonly #packer: TaskPacker;
  /** Those that are here, by key. */
  readonly #here = new Map<string, Task>();
  /** Those that have begun since the shard was told last. */
  readonly #begun = new Map<string, Task>();

  constructor(options: ShardTasksOptions) {
    const { shard, crew, line, find: _, ...around } = options;
    this.#options = options;
    this.#packer = new TaskPacker(around.limits);
    this.router = crew.join(shard, {
      ...around,
      outside: { ...nobodyOutside, dispatch: (task) => this.#end('handedOn', task) },
      artifactsFor: (task, secrets) => this.#artifactsFor(task, secrets),
      publish: async (task, ...event) => {
        checkedPublication(around.limits, event); // what is no data cannot be sent
        return this.#ask('publish', task as Task, ...event); // the pool has it whole
      },
      remember: (task, step) => this.#ask('remember', task, step),
      report: (task, outcome) => this.#end('reported', task, outcome),
      onProgress: (progress) => {
        const task = this.#here.get(keyOf(progress.runId, progress.tokenId));
        if (task) line.tell('progressed', ...([nameOf(task), progress] satisfies Progressed));
      },
      onMissing: (task, failure) => line.tell('missing', this.#packer.packName(task), failure),
      onFound: (names) => line.tell('found', names),
    });
  }

  /** What the thread of the shard says of its tasks. */
  readonly handlers: Handlers = {
    task: ([crossing]: readonly [CrossingTask]) => {
      const task = this.#packer.unpack(crossing);
      this.#here.set(keyOf(task.runId, task.tokenId), task);
      this.router.dispatch(task);
    },
    abort: ([runId, tokenId]: readonly [string, number]) => this.#abort(runId, tokenId),
    closeActions: ([graceMs]: readonly [number]) => this.router.close(graceMs),
    find: ([names, isNews]: readonly [readonly string[], boolean]) => this.#options.find(names, isNews),
  };

  /** Nobody wants to know any more: their shard is lost. */
  abortAll(): void {
    for (const { runId, tokenId } of this.#here.values()) this.#abort(runId, tokenId);
  }

  #abort(runId: string, tokenId: number): void {
    this.#forget(keyOf(runId, tokenId));
    this.router.abort(runId, tokenId);
  }

  #end(word: 'reported' | 'handedOn', task: Task, ...what: readonly unknown[]): void {
    this.#forget(keyOf(task.runId, task.tokenId));
    this.#options.line.tell(word, nameOf(task), ...what);
  }

  #forget(key: string): void {
    this.#here.delete(key);
    this.#begun.delete(key);
  }

  #ask<Answer>(what: string, task: Task, ...args: readonly unknown[]): Promise<Answer> {
    return this.#options.line.ask(what, [this.#packer.packName(task), ...args]);
  }

  /** Made as the action is called: it is executing from now on. */
  #artifactsFor(task: Task, secrets: TaskSecrets | null): ActionArtifacts {
    this.#noteBegun(task);
    const ask = <Answer>(...asked: ArtifactAsk): Promise<Answer> => this.#ask('artifacts', task, asked);
    return {
      put: (data, mimeType) => ask('put', secrets?.cleanData(data) ?? data, mimeType),
      get: (reference) => ask('get', reference),
      list: () => ask('list'),
    };
  }

  /** Told at the end of the turn: most actions that are short have ended by then. */
  #noteBegun(task: Task): void {
    this.#begun.set(keyOf(task.runId, task.tokenId), task);
    if (this.#begun.size > 1) return;
    setImmediate(() => {
      if (this.#begun.size > 0) this.#options.line.tell('started', [...this.#begun.values()].map(nameOf));
      this.#begun.clear();
    });
  }
}
