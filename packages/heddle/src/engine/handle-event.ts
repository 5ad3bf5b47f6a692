// Handle event: the contract by which events start workflows in the handle dialect: which workflow, and the
// context to begin with.

import type { Run } from '../api/run.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { kindOf } from '../base/kind-of.ts';
import { eventTag } from '../dialects/handle/execution.ts';
import type { Engine } from './engine.ts';

export interface ExecutionEvent {
  /** The same id never starts a second run. */
  readonly id?: string;
  readonly data: {
    readonly workflowId: string;
    /** The context that the first node is given; `_trigger: { type, depth, firedAt }` tells what fired it. */
    readonly initialData?: Readonly<Record<string, unknown>>;
  };
}

/** Starts the workflow that an event names; an event that came before gives the run that it started then. */
export async function startFromEvent(engine: Engine, event: ExecutionEvent): Promise<Run> {
  const { id, workflowId, initialData } = readEvent(event);
  // HN35: the id of the event is the idempotency key of the start.
  const options = id === undefined ? {} : { idempotencyKey: id, tags: { [eventTag]: id } };
  return engine.start(workflowId, initialData, options);
}

// HN34: an event names its workflow, and may bring an object of initial data; nothing starts by any other.
function readEvent(event: unknown): { id?: string; workflowId: string; initialData: object } {
  const { id, data } = membersOf(event, '', 'an event');
  const { workflowId, initialData = {} } = membersOf(data, '/data', 'the data of an event');
  if (typeof workflowId !== 'string' || workflowId === '')
    throw refusal('/data/workflowId', `Expected the id of a workflow, but found ${kindOf(workflowId)}`);
  if (id !== undefined && typeof id !== 'string')
    throw refusal('/id', `Expected the id of an event, but found ${kindOf(id)}`);
  const given = membersOf(initialData, '/data/initialData', 'initial data');
  return { ...(id === undefined ? {} : { id }), workflowId, initialData: given };
}

function membersOf(value: unknown, pointer: string, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>; // it is an object
  throw refusal(pointer, `Expected ${what} (an object), but found ${kindOf(value)}`);
}

const refusal = (pointer: string, message: string): HeddleError =>
  new HeddleError('EVENT_INVALID', message, { pointer });
