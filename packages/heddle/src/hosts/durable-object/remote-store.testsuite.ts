// RemoteStore: a store in another process, as a test sees it: every call is asked for there. And how calls and answers travel.
//
// Always true: what arrives is what was sent: bytes, what is undefined, texts that are no Unicode, and why a store refuses.

import type { Store } from '../../actor/ports.ts';
import { StoreError, type StoreErrorCode } from '../../actor/store-error.ts';
import { sha256Base64url } from '../../base/hash.ts';
import { toBase64 } from '../../secrets/cipher.ts';

interface Call {
  /** Whose method: the store's, or that of its artifacts. */
  readonly of: 'store' | 'artifacts';
  readonly method: string;
  readonly args: readonly unknown[];
}

type Answer = { readonly value: unknown } | { readonly error: { readonly code?: string; readonly message: string } };

type Method = (...args: readonly unknown[]) => unknown;

export function remoteStore(ask: (call: string) => Promise<string>): Store {
  const asking = (of: Call['of'], known: object): object =>
    new Proxy(known, {
      get(target, method) {
        // It is no promise, also to whoever awaits it.
        if (method === 'then' || Reflect.has(target, method)) return Reflect.get(target, method);
        return async (...args: unknown[]) => valueOf(await ask(toText({ of, method: String(method), args })));
      },
    });
  // Every other method is asked for there.
  return asking('store', { hash: sha256Base64url, artifacts: asking('artifacts', {}) }) as Store;
}

function valueOf(text: string): unknown {
  const answer = fromText(text) as Answer; // from `answerCall`
  if ('value' in answer) return answer.value;
  const { code, message } = answer.error;
  throw code === undefined ? new Error(message) : new StoreError(code as StoreErrorCode, message); // one was thrown there
}

/** Where the store is. */
export async function answerCall(store: Store, text: string): Promise<string> {
  const { of, method, args } = fromText(text) as Call; // from `remoteStore`
  // The methods of one of both.
  const whose = (of === 'store' ? store : store.artifacts) as unknown as Record<string, Method>;
  try {
    return toText({ value: await whose[method]?.(...args) });
  } catch (error) {
    if (error instanceof StoreError) return toText({ error: { code: error.code, message: error.message } });
    return toText({ error: { message: (error as Error).stack ?? '' } }); // nothing else is thrown
  }
}

/** What has no form in JSON is marked with a name that no row has. */
const mark = '$crossing';

function toText(sent: Call | Answer): string {
  return JSON.stringify(sent, (_, part: unknown) => {
    if (part === undefined) return { [mark]: 'undefined' };
    return part instanceof Uint8Array ? { [mark]: 'bytes', text: toBase64(part) } : part;
  });
}

function fromText(text: string): unknown {
  return restore(JSON.parse(text));
}

function restore(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(restore);
  const members = Object.entries(part);
  if (!Object.hasOwn(part, mark)) return Object.fromEntries(members.map(([name, value]) => [name, restore(value)]));
  const { text } = part as { readonly text?: string }; // as `toText` wrote it
  return text === undefined ? undefined : Uint8Array.from(atob(text), (letter) => letter.codePointAt(0) ?? 0);
}
