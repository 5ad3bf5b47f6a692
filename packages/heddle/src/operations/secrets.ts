// Operations on secrets: values that actions may send to named hosts, and nobody may see.

import { hostsMax, type SecretInfo, type SetSecretOptions, secretLengthMax } from '../secrets/secret.ts';
import { answer, operation } from './operation.ts';
import { type Page, type Paging, page, paging, type Removed, removed } from './parts.ts';
import { anyText, count, list, object, optional, text, time, withCode } from './schema.ts';

export interface OneSecret {
  readonly name: string;
}

/** What the name, the value and the hosts must be like is SK1's to say: `SECRET_INVALID` tells what is wrong with them. */
export interface SetSecretRequest extends SetSecretOptions {
  readonly name: string;
  readonly value: string;
}

const code = 'SECRET_INVALID';
const name = withCode(code, text('The secret.'));

const secret = object<SecretInfo>(
  {
    name: anyText(),
    hosts: list(anyText()),
    version: count('Rises with every new value.'),
    createdAt: time('When it was first set.'),
    updatedAt: time('When it was last set.'),
  },
  'Secret',
);

const common = { tag: 'Secrets', where: 'home' } as const;

export const secretOperations = {
  setSecret: operation<SetSecretRequest, SecretInfo>({
    ...common,
    summary: 'Keep a value, encrypted, that actions may send to the named hosts and nobody may see',
    changes: true,
    scope: 'secret:write',
    repeatable: true,
    takes: object<SetSecretRequest>({
      name,
      value: withCode(code, text('8 characters or more.', { max: secretLengthMax })),
      hosts: optional(
        withCode(code, list(text('`api.example.com`, or `*.example.com` for all below it.'), undefined, hostsMax)),
      ),
    }),
    answers: answer(secret),
  }),
  listSecrets: operation<Paging, Page<SecretInfo>>({
    ...common,
    summary: 'The names of secrets and where they may be sent; never their values',
    scope: 'secret:read',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(secret)),
  }),
  removeSecret: operation<OneSecret, Removed>({
    ...common,
    summary: 'Remove a secret',
    changes: true,
    scope: 'secret:write',
    takes: object<OneSecret>({ name }),
    answers: answer(removed),
  }),
};
