// Handlers: what reaches in and out, and how long runs are kept.

import { askedPage, slicedPage } from '../page.ts';
import type { Handler, HandlersOf } from './handler.ts';

export const secretHandlers: HandlersOf<'setSecret' | 'listSecrets' | 'removeSecret'> = {
  setSecret({ name, value, ...options }, { engine }) {
    return engine.secrets.set(name, value, options);
  },
  async listSecrets(paging, { engine }) {
    return slicedPage(await engine.secrets.list(), paging, ({ name }) => name);
  },
  async removeSecret({ name }, { engine }) {
    return { removed: await engine.secrets.remove(name) };
  },
};

export const webhookHandlers: HandlersOf<'receiveWebhook' | 'receiveWebhookByPut'> = {
  receiveWebhook: receive('POST'),
  receiveWebhookByPut: receive('PUT'),
};

function receive(method: string): Handler<'receiveWebhook' | 'receiveWebhookByPut'> {
  return ({ id }, { engine, headers, parameters }, rawBody) =>
    engine.webhooks.receive(id, { method, headers: headers(), rawBody, query: Object.fromEntries(parameters) });
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
  createCallback(callback, { engine }) {
    return engine.callbacks.create(callback);
  },
  async listCallbacks(paging, { engine }) {
    return slicedPage(await engine.callbacks.list(), paging, ({ id }) => id);
  },
  getCallback({ id }, { engine }) {
    return engine.callbacks.get(id);
  },
  async removeCallback({ id }, { engine }) {
    return { removed: await engine.callbacks.remove(id) };
  },
  enableCallback({ id }, { engine }) {
    return engine.callbacks.enable(id);
  },
  disableCallback({ id }, { engine }) {
    return engine.callbacks.disable(id);
  },
  listDeliveries(query, { engine }) {
    return askedPage(
      query,
      (page) => engine.callbacks.deliveries({ ...query, ...page }),
      ({ id }) => id,
    );
  },
  resendDelivery({ id }, { engine }) {
    return engine.callbacks.resend(id);
  },
};

export const retentionHandlers: HandlersOf<'setRetention' | 'listRetention' | 'removeRetention' | 'sweep'> = {
  setRetention({ workflow, ...rule }, { engine }) {
    return engine.retention.set(workflow, rule);
  },
  async listRetention(paging, { engine }) {
    return slicedPage(await engine.retention.list(), paging, ({ workflow }) => workflow);
  },
  async removeRetention({ workflow }, { engine }) {
    return { removed: await engine.retention.remove(workflow) };
  },
  sweep(_, { engine }) {
    return engine.retention.sweep();
  },
};
