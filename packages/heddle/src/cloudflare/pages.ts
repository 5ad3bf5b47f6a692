// Pages: the web app among the static assets of the Worker.

import type { FindWebFile } from '../http/web-app.ts';
import type { AssetsBinding } from './platform.ts';

/** The platform compresses them itself. */
export function pagesIn(assets: AssetsBinding, { url }: Request): FindWebFile {
  return async (path) => {
    const found = await assets.fetch(new Request(new URL(path === '/index.html' ? '/' : path, url)));
    if (!found.ok) return null;
    return {
      bytes: new Uint8Array(await found.arrayBuffer()),
      mimeType: found.headers.get('content-type') ?? 'application/octet-stream',
      compressed: null,
      isForEver: path.startsWith('/assets/'),
    };
  };
}
