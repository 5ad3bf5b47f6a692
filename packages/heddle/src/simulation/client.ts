// Client: what the outside asks of an engine, as data, so that it can be sent again and compared with what is stored.

import { given } from '../base/given.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Engine } from '../engine/engine.ts';
import type { ProcessLife } from './simulated-store.ts';

export type ClientRequest =
  | {
      readonly type: 'start';
      readonly key: string;
      readonly workflow: string;
      readonly input: JsonObject;
      readonly organization?: string;
      readonly trace?: boolean;
    }
  | { readonly type: 'deposit'; readonly key: string; readonly organization: string; readonly amount: number }
  | { readonly type: 'put-artifact'; readonly data: string }
  | { readonly type: 'create-trigger'; readonly trigger: JsonObject }
  | { readonly type: 'retry'; readonly runId: string; readonly key: string }
  | { readonly type: 'cancel' | 'pause' | 'resume'; readonly runId: string }
  | { readonly type: 'reply'; readonly runId: string; readonly correlationId: string; readonly payload: Json }
  | {
      readonly type: 'publish';
      readonly id: string;
      readonly name: string;
      readonly correlation?: string;
      readonly payload: Json;
    };

/** One request, sent as often as it took to hear an answer. */
export interface ClientOperation {
  readonly request: ClientRequest;
  readonly sentAt: number;
  /** Undefined until it was heard. */
  answer: Json | undefined;
  /** The code of the error that it was refused with. */
  refusal: string | null;
}

/** A task as the worker saw it. */
export interface TaskCall {
  readonly action: string;
  readonly runId: string;
  readonly tokenId: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly at: number;
}

/** And where. */
export interface CallUnderWay extends TaskCall {
  readonly process: Readonly<ProcessLife>;
  readonly signal: AbortSignal;
}

export async function send(engine: Engine, request: ClientRequest): Promise<Json> {
  switch (request.type) {
    case 'start': {
      const { workflow, input, key, organization, trace = false } = request;
      const whose = organization === undefined ? {} : { organization };
      return (await engine.start(workflow, input, { idempotencyKey: key, trace, ...whose })).id;
    }
    case 'deposit': {
      const { organization, amount, key } = request;
      return { ...(await engine.credits.deposit(organization, amount, { key })) };
    }
    case 'put-artifact':
      return { ...(await engine.artifacts.put(request.data, 'text/plain')) };
    case 'retry':
      return (await engine.run(request.runId).retry({ idempotencyKey: request.key })).id;
    case 'create-trigger': {
      const { problems } = await engine.triggers.create(request.trigger);
      return { problems: problems.map(({ message }) => message) };
    }
    case 'reply': {
      const { runId, correlationId, payload } = request;
      return { ...(await engine.run(runId).reply(correlationId, payload)) };
    }
    case 'publish': {
      const { name, payload, id, correlation } = request;
      const published = await engine.publish(name, payload, {
        id,
        ...given({ correlation }),
      });
      return { applied: published.applied };
    }
    case 'cancel':
    case 'pause':
    case 'resume': {
      const { applied } = await engine.run(request.runId)[request.type]();
      return { applied };
    }
  }
}
