// Handlers: what reaches in and out, and how long runs are kept.

import type { Contract } from '../contract/contract.ts';
import type { RequestOf } from '../contract/route.ts';
import { askedPage, slicedPage } from '../page.ts';
import type { HandlersOf, Surroundings } from './handler.ts';

export const secretHandlers: HandlersOf<'setSecret' | 'listSecrets' | 'removeSecret'> = {
  setSecret({ params, body }, { engine }) {
    const { value, ...options } = body;
    return engine.secrets.set(params.name, value, options);
  },
  async listSecrets({ query }, { engine }) {
    return slicedPage(await engine.secrets.list(), query, ({ name }) => name);
  },
  async removeSecret({ params }, { engine }) {
    return { removed: await engine.secrets.remove(params.name) };
  },
};

export const webhookHandlers: HandlersOf<'receiveWebhook' | 'receiveWebhookByPut'> = {
  receiveWebhook: (request, surroundings) => receive('POST', request, surroundings),
  receiveWebhookByPut: (request, surroundings) => receive('PUT', request, surroundings),
};

function receive(method: string, request: RequestOf<Contract['receiveWebhook']>, { engine, headers }: Surroundings) {
  const { params, query, body } = request;
  return engine.webhooks.receive(params.id, { method, headers: headers(), rawBody: body, query });
}

export const callbackHandlers: HandlersOf<
  | 'createCallback'
  | 'listCallbacks'
  | 'getCallback'
  | 'removeCallback'
  | 'enableCallback'
  | 'disableCallback'
  | 'listDeliveries'
  | 'resendDelivery'
> = {
  createCallback({ body }, { engine }) {
    return engine.callbacks.create(body);
  },
  async listCallbacks({ query }, { engine }) {
    return slicedPage(await engine.callbacks.list(), query, ({ id }) => id);
  },
  getCallback({ params }, { engine }) {
    return engine.callbacks.get(params.id);
  },
  async removeCallback({ params }, { engine }) {
    return { removed: await engine.callbacks.remove(params.id) };
  },
  enableCallback({ params }, { engine }) {
    return engine.callbacks.enable(params.id);
  },
  disableCallback({ params }, { engine }) {
    return engine.callbacks.disable(params.id);
  },
  listDeliveries({ query }, { engine }) {
    const { after: _, limit: __, ...filter } = query;
    return askedPage(
      query,
      (page) => engine.callbacks.deliveries({ ...filter, ...page }),
      ({ id }) => id,
    );
  },
  resendDelivery({ params }, { engine }) {
    return engine.callbacks.resend(params.id);
  },
};

export const retentionHandlers: HandlersOf<'setRetention' | 'listRetention' | 'removeRetention' | 'sweep'> = {
  setRetention({ params, body }, { engine }) {
    return engine.retention.set(params.workflow, body);
  },
  async listRetention({ query }, { engine }) {
    return slicedPage(await engine.retention.list(), query, ({ workflow }) => workflow);
  },
  async removeRetention({ params }, { engine }) {
    return { removed: await engine.retention.remove(params.workflow) };
  },
  sweep(_, { engine }) {
    return engine.retention.sweep();
  },
};
