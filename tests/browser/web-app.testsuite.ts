// The web app in a real browser, against a real server on a real SQLite file.
//
// Always true: what goes wrong in a page (an error, a violation of the content security policy, a request to anywhere else)
// fails the test that opened it; a file of tests has one server and one browser.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type RunningServer, type ServeOptions, serve } from 'heddle/server';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isInShare } from '../commit-share.testsuite.ts';
import { type FoundBrowser, launch, lookForBrowser } from './chromium.testsuite.ts';

export interface WebApp {
  readonly server: RunningServer;
  readonly url: string;
  readonly browser: Browser;
  /** A page in a context of its own: own cookies, own storage. */
  open(address: string, options?: OpenOptions): Promise<Page>;
  /** Ends the server and starts it again on the same file and port; meanwhile, something may be done to the file. */
  restart(meanwhile?: (store: string) => Promise<void>): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** Open it in this context, beside what is open there. */
  readonly in?: BrowserContext;
  /** Errors that the test is about: those that match are not held against the page. */
  readonly expectErrors?: RegExp;
}

const found: FoundBrowser = await lookForBrowser(); // it may be installed now, which takes a while
const net = 300_000; // for what hangs: machines may be busy

/** Tests of the web app; without a browser they are skipped on a person's machine, and fail in CI. */
export function describeWebApp(title: string, options: ServeOptions, tests: (app: () => WebApp) => void): void {
  const isMissing = 'missing' in found;
  if (isMissing && process.env['CI'] !== undefined) test(`${title}: has a browser`, () => expect.fail(found.missing));
  describe.skipIf(isMissing)(isMissing ? `${title}, skipped: ${found.missing}` : title, () => {
    let app: WebApp & { close: () => Promise<void> };
    beforeAll(async () => {
      if (!isMissing) app = await openWebApp(options, found.path);
    });
    afterAll(() => app?.close());
    tests(() => app);
  });
}

async function openWebApp(options: ServeOptions, browserPath: string): Promise<WebApp & { close(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-web-'));
  const store = path.join(folder, 'heddle.db');
  let server = await serve({ port: 0, ...options, store });
  const { url } = server;
  const browser = await launch(browserPath);
  return {
    get server() {
      return server;
    },
    url,
    browser,
    open: (address, how = {}) => openPage(browser, new URL(address, url).href, how),
    async restart(meanwhile) {
      await server.close({ graceMs: 0 });
      await meanwhile?.(store);
      server = await serve({ ...options, store, port: Number(new URL(url).port) });
    },
    async close() {
      await browser.close();
      await server.close({ graceMs: 0 });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openPage(browser: Browser, address: string, options: OpenOptions): Promise<Page> {
  const { in: given, expectErrors, ...contextOptions } = options;
  const context = given ?? (await browser.newContext({ viewport: { width: 1440, height: 900 }, ...contextOptions }));
  context.setDefaultTimeout(net);
  const page = await context.newPage();
  const wrongs: string[] = [];
  const note = (wrong: string): void => {
    if (expectErrors?.test(wrong) !== true) wrongs.push(wrong);
  };
  page.on('pageerror', ({ message }) => note(message));
  // A refused request and a violation of the policy are errors of the console.
  page.on('console', (message) => message.type() === 'error' && note(message.text()));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(address).origin) note(`A request to ${request.url()}`);
  });
  onTestFinished(async () => {
    if (given === undefined) await context.close();
    expect(wrongs).toEqual([]);
  });
  await page.goto(address);
  return page;
}

const sharesOfAll = 3;

/**
 * A test with its ids in its name: `webTest('[W01] …')`. `npm test` has a third of them, another with every commit;
 * `npm run test:browser` has all.
 */
export function webTest(name: string, run: () => Promise<void>): void {
  const isWanted = process.env['HEDDLE_BROWSER_TESTS'] === 'all' || isInShare(idOf(name), sharesOfAll);
  test.skipIf(!isWanted)(name, run);
}

function idOf(name: string): number {
  const [, id] = /^\[W(\d+)/.exec(name) ?? [];
  if (id === undefined) throw new Error(`Expected a test of the web app to begin with its id, but found ${name}`);
  return Number(id);
}
