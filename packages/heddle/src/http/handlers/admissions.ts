// Admissions: what a request without a key names is looked up before its body is read. Rules HT21 and AC7.

import type { Awaitable } from '../../actor/ports.ts';
import type { HeddleError } from '../../base/heddle-error.ts';
import type { Engine } from '../../engine/engine.ts';
import { secretNotFound } from '../../engine/prompts.ts';
import type { OperationName, RequestOf } from '../../operations/operations.ts';
import { webhookNotFound } from '../../webhooks/receiver.ts';

interface Admission<Named> {
  /** Refuses what could not be done, whatever the body says. */
  readonly look: (named: Named, engine: Engine) => Awaitable<void>;
  /** What is answered where there is no such thing. */
  readonly notFound: (named: Named) => HeddleError;
}

/** Of a request, what its path names: the rest has not been read. */
type NamedIn<Request> = Pick<Request, Extract<keyof Request, 'tenant' | 'id' | 'secret'>>;

const admissions: { readonly [Name in OperationName]?: Admission<NamedIn<RequestOf<Name>>> } = {
  receiveWebhook: webhook('POST'),
  receiveWebhookByPut: webhook('PUT'),
  getPromptBySecret: promptSecret(),
  replyWithSecret: promptSecret(),
};

function promptSecret(): Admission<{ readonly secret: string }> {
  return { look: ({ secret }, engine) => engine.checkPromptSecret(secret), notFound: () => secretNotFound() };
}

function webhook(method: string): Admission<{ readonly id: string }> {
  return { look: ({ id }, { webhooks }) => webhooks.check(id, method), notFound: ({ id }) => webhookNotFound(id) };
}

export interface Asked {
  readonly params: Readonly<Record<string, string>>;
  /** The tenant's engine; where a tenant is named that is not there, any other. */
  readonly engine: Engine;
  readonly isTenant: boolean;
}

/** HT21: nothing is read for what is not there, is switched off or is called in another way. */
export async function admit(name: OperationName, { params, engine, isTenant }: Asked): Promise<void> {
  const admission: Admission<never> | undefined = admissions[name];
  if (admission === undefined) return;
  const named = params as never; // as the path of its operation has them
  if (isTenant) return admission.look(named, engine);
  // A tenant that is not there costs the same look, and is answered as one that does not have what was asked for.
  await Promise.resolve(admission.look(named, engine)).catch(() => undefined);
  throw admission.notFound(named);
}
