// Web app: the pages that a server shows people: static files, and one page for every address that is none of the API's.
// Rules WA….
//
// Always true: a page runs scripts and loads styles of this server alone, asks nobody else, and is never shown in a frame.

import type { Awaitable } from '../actor/ports.ts';

export interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mimeType: string;
  /** The same, compressed by gzip. */
  readonly compressed: Uint8Array<ArrayBuffer> | null;
  /** Its name changes with its content: it may be kept for ever. */
  readonly isForEver: boolean;
}

/** By its path: `/index.html`, `/assets/…`; null if there is none. */
export type FindWebFile = (path: string) => Awaitable<WebFile | null>;

/** WA1: a page may do nothing that its own files do not do: no inline script, no foreign address, no frame around it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Beside what goes with every answer. */
const headers = { 'content-security-policy': policy, 'cross-origin-opener-policy': 'same-origin' };

/** Null: nothing that people look at. */
export async function answerPage(request: Request, find: FindWebFile): Promise<Response | null> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  const { pathname } = new URL(request.url);
  const file = await fileAt(pathname, request, find);
  if (file === null) return null;
  const isCompressed = file.compressed !== null && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  const body = isCompressed ? file.compressed : file.bytes;
  return new Response(request.method === 'HEAD' ? null : body, {
    headers: {
      ...headers,
      'content-type': file.mimeType,
      vary: 'accept-encoding',
      'cache-control': file.isForEver ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    },
  });
}

/** WA2: every address that is none of the API's leads to the app, for whoever asks for a page; others are told that it is none. */
async function fileAt(path: string, { headers: asked }: Request, find: FindWebFile): Promise<WebFile | null> {
  const isApi = path.startsWith('/v1/') || path === '/v1';
  if (isApi) return null;
  const file = path === '/' ? null : await find(path);
  if (file !== null) return file;
  const wantsPage = asked.get('accept')?.includes('text/html') === true;
  return wantsPage ? find('/index.html') : null;
}
