// Capsule page: a capsule as one HTML file that opens from a disk, with nobody to ask.

import { sha256Base64url } from '../../base/hash.ts';
import type { Capsule } from './capsule.ts';

/** What shows it: a script and a style, each whole. */
export interface CapsuleViewer {
  readonly script: string;
  readonly style: string;
}

/** CP1: its policy names its own script and style by their hashes, and allows nothing else: no address, no frame, no form. */
export function capsulePage(capsule: Capsule, { script, style }: CapsuleViewer): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  // In a script, only `<` can end it: JSON has another way to write it.
  const data = JSON.stringify(capsule).replaceAll('<', '\\u003c');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title>A run of Heddle</title>',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<div id="capsule"></div>',
    `<script type="application/json" id="data">${data}</script>`,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function hashOf(text: string): string {
  const base64 = sha256Base64url(text).replaceAll('-', '+').replaceAll('_', '/');
  return `sha256-${base64}=`;
}
