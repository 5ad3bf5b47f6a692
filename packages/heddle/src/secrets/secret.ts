// Secret: a value that actions may send and nobody may see. How one is named, referred to and bound to hosts.

import { HeddleError } from '../base/heddle-error.ts';

/** What is shown of a secret: everything but its value. */
export interface SecretInfo {
  readonly name: string;
  /** Where it may be sent: `api.example.com`, or `*.example.com` for all below it. Empty: nowhere. */
  readonly hosts: readonly string[];
  /** Rises with every new value. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SetSecretOptions {
  /** Where it may be sent. Absent: nowhere, which is right for a secret that only signs or verifies. */
  readonly hosts?: readonly string[];
}

/**
 * Stands for a secret in data: `{ "$secret": "github-token", "format": "Bearer {}" }`. It is resolved when it is sent, and
 * never before.
 */
export interface SecretReference {
  readonly $secret: string;
  /** The text that is sent, with the secret in place of `{}`. Absent: the secret alone. */
  readonly format?: string;
  /** How the secret is written: `base64` is what `Basic {}` takes for a secret `user:password`. */
  readonly encode?: 'base64';
}

const namePattern = /^[A-Za-z][\w.-]{0,127}$/;
const hostPattern = /^(\*\.)?[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_-]{1,63}){0,20}$|^[0-9a-f:]{2,39}$/;
/** Shorter ones would be found, and replaced, where they are not meant. */
export const secretLengthMin = 8;
export const secretLengthMax = 65_536;
export const hostsMax = 100;

/** SK1: a secret has a name, a value of at least 8 characters, and the hosts that it may be sent to. */
export function checkSecret(name: unknown, value: unknown, hosts: unknown): void {
  refuseSecretName(name);
  if (typeof value !== 'string' || value.length < secretLengthMin || value.length > secretLengthMax) {
    const found = typeof value === 'string' ? `one of ${value.length}` : typeof value;
    throw invalid(`the value of a secret to be a text of ${secretLengthMin} to ${secretLengthMax} characters`, found);
  }
  if (!Array.isArray(hosts) || hosts.length > hostsMax)
    throw invalid(`at most ${hostsMax} hosts in a list`, typeof hosts);
  for (const host of Array.from<unknown>(hosts)) {
    if (typeof host === 'string' && hostPattern.test(host)) continue;
    const found = typeof host === 'string' ? JSON.stringify(host.slice(0, 80)) : typeof host;
    throw invalid(
      'each host to be such as "api.example.com" or "*.example.com", in lower case and without a port',
      found,
    );
  }
}

export function refuseSecretName(name: unknown): void {
  if (typeof name === 'string' && namePattern.test(name)) return;
  const found = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : typeof name;
  throw invalid('the name of a secret to be a letter and at most 127 letters, digits, "_", "-" or "."', found);
}

/** `*.example.com` stands for all below it, and not for itself. */
export function matchesHost(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

function invalid(expected: string, found: string): HeddleError {
  return new HeddleError('SECRET_INVALID', `Expected ${expected}, but found ${found}`);
}
