// Chromium for browser tests: headless, on loopback, with its background services off.

import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from '../../scripts/browser.mjs';

export type FoundBrowser = { readonly path: string } | { readonly missing: string };

/** Looks for a browser, or installs one; without one, says why. */
export async function lookForBrowser(): Promise<FoundBrowser> {
  try {
    return { path: await findBrowser() };
  } catch (error) {
    return { missing: (error as Error).message }; // it throws nothing else
  }
}

const args = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launch(executablePath: string): Promise<Browser> {
  const isRoot = process.getuid?.() === 0; // whom Chromium's sandbox refuses
  return chromium.launch({ executablePath, args, chromiumSandbox: !isRoot });
}
