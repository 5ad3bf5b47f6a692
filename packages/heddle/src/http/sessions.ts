// Sessions: a key, exchanged for a cookie that no script can read, so that people use a server from a browser. Rules AC….
//
// Always true: a session may do what its key may, for as long as the key may; it never travels but as a cookie.

import type { Clock } from '../actor/ports.ts';
import type { ServerRecords } from '../engine/server-records.ts';
import { type Access, bothGrants } from './access.ts';
import { Credentials, type Found, type Kept } from './credentials.ts';
import { RequestError } from './problem-document.ts';
import type { Sender } from './sender.ts';

interface StoredSession extends Kept {
  readonly keyId: string;
  readonly expiresAt: number;
}

export interface NewSession {
  readonly access: Access;
  /** For the cookie, and for nobody else. */
  readonly text: string;
  readonly expiresAt: number;
  readonly forMs: number;
}

interface SessionOptions {
  /** Null: the key is not there any more, or has ended. */
  readonly accessOf: (keyId: string) => Promise<Access | null>;
  /** How long one lasts. Default: 12 hours. */
  readonly sessionMs?: number | undefined;
}

const sessionMsDefault = 12 * 3_600_000;

export class Sessions {
  readonly #sessions: Credentials<StoredSession>;
  readonly #clock: Clock;
  readonly #options: SessionOptions;

  constructor(store: ServerRecords, clock: Clock, options: SessionOptions) {
    this.#sessions = new Credentials(store, clock, { kind: 'session', prefix: 'hds', isSwept: true });
    this.#clock = clock;
    this.#options = options;
  }

  /** AC15: a session is a random secret that is stored as its hash, with the key that it stands on, and ends by itself. */
  async open(access: Access, { id: keyId, stored: key }: Found<Kept>): Promise<NewSession> {
    const { sessionMs = sessionMsDefault } = this.#options;
    const now = this.#clock.now();
    const expiresAt = Math.min(now + sessionMs, key.expiresAt ?? Infinity);
    const { id, text } = await this.#sessions.make({ keyId, expiresAt });
    return { access: this.#grantTo(id, access), text, expiresAt, forMs: expiresAt - now };
  }

  async authenticate(text: string): Promise<Access | null> {
    const found = await this.#sessions.authenticate(text);
    if (found === null) return null;
    const access = await this.#options.accessOf(found.stored.keyId);
    return access === null ? null : this.#grantTo(found.id, access);
  }

  /** AC16: a session has the rights of its key, and is lost with it, or when it is ended itself. */
  #grantTo(sessionId: string, access: Access): Access {
    const own = this.#sessions.grant(sessionId);
    return { ...access, sessionId, grant: access.grant === undefined ? own : bothGrants(own, access.grant) };
  }

  end(id: string): Promise<void> {
    return this.#sessions.remove(id);
  }
}

// ---------------------------------------------------------------------------------------------------------- cookies

const cookieName = 'heddle_session';
const cookiePattern = new RegExp(`(?:^|;)\\s*${cookieName}=([^;\\s]*)`);
const secondMs = 1_000;

/** The session that a request shows. */
export function sessionIn(cookies: string | null): string | null {
  return cookiePattern.exec(cookies ?? '')?.[1] ?? null;
}

/** AC17: no script reads the cookie, no other site's page sends it, and over TLS it never travels without. */
export function sessionCookie(text: string, forMs: number, { isSecure }: Sender): string {
  const maxAge = Math.max(0, Math.floor(forMs / secondMs));
  const attributes = ['HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${maxAge}`, ...(isSecure ? ['Secure'] : [])];
  return [`${cookieName}=${text}`, ...attributes].join('; ');
}

/** AC18: a session lets in pages of this server alone; what would change something must show that it comes from one. */
export function refuseForeignPage({ page, isSafe }: Sender): void {
  if (page === 'own' || (page === 'unknown' && isSafe)) return;
  refusePage();
}

/** Nobody is signed in by a page of others, as somebody else. */
export function refuseForeignSignIn({ page }: Sender): void {
  if (page === 'foreign') refusePage();
}

function refusePage(): never {
  const message = 'Expected a page of this server, but another page, or none, has sent this with a session';
  throw new RequestError(403, 'CSRF_REFUSED', message, {
    hint: 'Programs and pages of other origins send `Authorization: Bearer KEY` in place of a session.',
  });
}
