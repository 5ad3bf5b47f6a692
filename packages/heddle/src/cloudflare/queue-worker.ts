// Queue worker: the consumer of a queue that objects call for their tasks: whoever is called leases a task at the object, does it as
// any worker does, and tells the object what it came to.
//
// Always true: a message is done with when what it called for has been told, or has somebody else; one whose object cannot be
// reached comes again.

import { refuseUnknown } from '../base/refuse-options.ts';
import { workOff } from '../client/worker.ts';
import type { Action } from '../executor/action.ts';
import type { AnswerOf } from '../operations/operations.ts';
import { forward } from './object-front.ts';
import { askObject } from './object-stub.ts';
import { report } from './options.ts';
import { objectName, type Place } from './place.ts';
import type { ObjectNamespace } from './platform.ts';
import { type CalledFor, readCall, type TaskCall } from './task-queue.ts';

export interface QueueWorkerOptions<Env> {
  /** The binding of `HeddleObject`, in the Worker with the engine or in another. */
  readonly objects: (env: Env) => ObjectNamespace;
  /** What it does, by name. */
  readonly actions: (env: Env) => Readonly<Record<string, Action>>;
  /** How long it may be silent, as one that has died is, before its tasks are given to others. Default: 30 seconds. */
  readonly leaseMs?: number;
  /** What nobody foresaw. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** A batch of messages, as the platform hands it over. */
export interface MessageBatch {
  readonly messages: readonly Message[];
}

interface Message {
  readonly body: unknown;
  ack(): void;
  retry(): void;
}

const known = [
  'objects',
  'actions',
  'leaseMs',
  'onError',
] as const satisfies readonly (keyof QueueWorkerOptions<never>)[];
const leaseMsDefault = 30_000;

/** The handler `queue` of a Worker: `export default { queue: queueWorker({ … }) }`. */
export function queueWorker<Env>(options: QueueWorkerOptions<Env>): (batch: MessageBatch, env: Env) => Promise<void> {
  refuseUnknown('queueWorker', options, known);
  return async ({ messages }, env) => {
    const actions = options.actions(env);
    const called = new Map<string, { readonly call: TaskCall; readonly messages: Message[] }>();
    for (const message of messages) {
      const call = readCall(message.body);
      // A version of this Worker that does the action may be on its way.
      if (call === null || !Object.hasOwn(actions, call.action)) message.retry();
      else {
        const key = `${objectName(call.place)} ${call.action}`;
        const ofObject = called.get(key) ?? { call, messages: [] };
        ofObject.messages.push(message);
        called.set(key, ofObject);
      }
    }
    await Promise.all([...called.values()].map((one) => answerCalls(options, env, { actions, ...one })));
  };
}

interface Calls {
  readonly actions: Readonly<Record<string, Action>>;
  readonly call: TaskCall;
  readonly messages: readonly Message[];
}

/** DO56: a call that comes twice, or too late, finds no task, and is done with. */
async function answerCalls<Env>(
  options: QueueWorkerOptions<Env>,
  env: Env,
  { actions, call: { place, action }, messages }: Calls,
): Promise<void> {
  const { leaseMs = leaseMsDefault, onError } = options;
  try {
    const asked: CalledFor = { action, calls: messages.length, leaseMs };
    const { tasks } = await askObject(options.objects(env), place)<AnswerOf<'leaseTasks'>>('takeCalled', [asked]);
    const fetch = fetchAt(options.objects(env), place);
    await workOff({ url: 'http://heddle', fetch, actions, leaseMs, ...(onError && { onError }) }, tasks);
    for (const message of messages) message.ack();
  } catch (error) {
    report(options, error);
    for (const message of messages) message.retry();
  }
}

const fetchAt =
  (objects: ObjectNamespace, place: Place): typeof fetch =>
  (input, init) =>
    forward(objects, place, new Request(input, init), true);
