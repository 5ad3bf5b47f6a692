// Access in the browser: signing in and out, what a key allows, what ends at once, and what other pages may not do.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { addFromPalette, nodeNamed, savedDraft } from './editor.testsuite.ts';
import { describeWebApp, type OpenOptions, type WebApp, webTest } from './web-app.testsuite.ts';

const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };
const hello = { id: 'hello', initialNode: 'say', nodes: [{ id: 'say', action: 'core.echo' }], transitions: [] };
const asking = { id: 'asking', initialNode: 'ask', nodes: [{ id: 'ask', input: { title: 'Well?' } }], transitions: [] };
/** Being refused is what these tests are about. */
const expectErrors = /40[13]/;

async function makeKey(
  app: WebApp,
  ...scopes: readonly string[]
): Promise<{ readonly id: string; readonly key: string }> {
  return app.server.keys.create({ name: `may ${scopes.join(' ')}`, scopes }, operator);
}

async function signIn(app: WebApp, key: string, address = '/', options: OpenOptions = {}): Promise<Page> {
  const page = await app.open(address, { expectErrors, ...options });
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return page;
}

/** What the server answers to the page itself. */
const statusOf = (page: Page, path: string, method = 'GET', body?: string): Promise<number> =>
  page.evaluate(
    async ([address, how, content]) => {
      const headers = { 'content-type': 'application/json' };
      return (
        await fetch(address ?? '', {
          method: how ?? 'GET',
          ...(content === undefined ? {} : { headers, body: content }),
        })
      ).status;
    },
    [path, method, body],
  );

describeWebApp('access in the browser', {}, (app) => {
  webTest('[W42] a key is exchanged for a session that no script can read, until somebody signs out', async () => {
    const { key } = await makeKey(app(), '*');
    const page = await app().open('/runs', { expectErrors });
    await page.getByLabel('API key').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Expected a valid key').waitFor();
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'heddle_session', httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(key);
    await page.reload();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.locator('summary', { hasText: 'default' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    // The session is over, not only forgotten.
    const answer = await fetch(`${app().url}/v1/me`, { headers: { cookie: `heddle_session=${cookie?.value}` } });
    expect(answer.status).toBe(401);
  });

  webTest('[W43] what a scope does not allow is not offered, and the server refuses it too', async () => {
    await app().server.engine.register(hello);
    const { key } = await makeKey(app(), 'run:read', 'definition:read');
    const page = await signIn(app(), key, '/runs');
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await expect
      .poll(() => navigation.getByRole('link').allInnerTexts())
      .toEqual(['Overview', 'Runs', 'Workflows', 'Work', 'Settings', 'API']);
    await expect.poll(() => page.getByRole('button', { name: 'Start a run' }).count()).toBe(0);
    await page.goto(`${app().url}/workflows`);
    await page.getByRole('link', { name: 'hello' }).waitFor();
    for (const name of ['Start hello', 'Edit hello', 'Draw a workflow'])
      await expect.poll(() => page.getByRole('button', { name }).count()).toBe(0);
    await page.goto(`${app().url}/settings`);
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    for (const name of ['API keys', 'Secrets', 'Retention'])
      await expect.poll(() => page.getByRole('heading', { name }).count()).toBe(0);
    expect(await statusOf(page, '/v1/runs')).toBe(200);
    expect(await statusOf(page, '/v1/runs', 'POST', '{"workflow":"hello"}')).toBe(403);
    expect(await statusOf(page, '/v1/keys')).toBe(403);
    expect(await statusOf(page, '/v1/prompts')).toBe(403);
  });

  webTest('[W12] what was not saved is there again for the tenant that drew it, and for no other', async () => {
    const context = await app().browser.newContext();
    onTestFinished(() => context.close());
    const openAs = async (tenant: string): Promise<Page> => {
      const { key } = await app().server.keys.create({ name: tenant, scopes: ['*'], tenant }, operator);
      await context.clearCookies();
      return signIn(app(), key, '/workflows/plan/edit', { in: context, expectErrors: /40[13]|net::/ });
    };
    const acme = await openAs('acme');
    await acme.getByText('Draw plan').waitFor();
    await context.setOffline(true);
    await addFromPalette(acme, 'Wait');
    await nodeNamed(acme, 'wait').waitFor();
    await acme.close();
    await context.setOffline(false);
    const globex = await openAs('globex');
    await addFromPalette(globex, 'Point');
    await nodeNamed(globex, 'point').waitFor();
    await savedDraft(globex);
    await expect.poll(() => globex.locator('.react-flow__node').count()).toBe(1);
    await globex.close();
    const again = await openAs('acme');
    await nodeNamed(again, 'wait').waitFor();
    await expect.poll(() => again.locator('.react-flow__node').count()).toBe(1);
  });

  webTest('[W43] whoever may only answer prompts sees a new one come', async () => {
    const { engine } = app().server;
    await engine.register(asking);
    const { key } = await makeKey(app(), 'prompt:read', 'prompt:reply');
    const page = await signIn(app(), key, '/inbox');
    const prompts = page.getByRole('list', { name: 'Open prompts' }).getByRole('button', { name: /Well\?/ });
    const before = (await engine.prompts()).length;
    await expect.poll(() => prompts.count()).toBe(before);
    await engine.start('asking', {});
    await expect.poll(() => prompts.count()).toBe(before + 1);
  });

  webTest('[W44] the token of a run shows that run, and nothing else', async () => {
    const { engine, url } = app().server;
    await engine.register(hello);
    const [shown, hidden] = await Promise.all([engine.start('hello', { n: 1 }), engine.start('hello', { n: 2 })]);
    await Promise.all([shown.result(), hidden.result()]);
    const { key } = await makeKey(app(), '*');
    const made = await fetch(`${url}/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ runId: shown.id, may: 'read' }),
    });
    const { token } = (await made.json()) as { readonly token: string };
    const page = await app().open(`/runs/${shown.id}`, {
      expectErrors,
      extraHTTPHeaders: { authorization: `Bearer ${token}` },
    });
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await expect.poll(() => page.getByRole('navigation', { name: 'Main' }).getByRole('link').count()).toBe(1);
    await page.getByText('completed').first().waitFor();
    expect(await statusOf(page, `/v1/runs/${shown.id}`)).toBe(200);
    for (const path of [`/v1/runs/${hidden.id}`, '/v1/runs/count', '/v1/events', '/v1/triggers', '/v1/workers'])
      expect([path, await statusOf(page, path)]).toEqual([path, 403]);
    expect(await statusOf(page, `/v1/runs/${shown.id}/cancel`, 'POST', '{}')).toBe(403);
    await page.goto(`${url}/runs`);
    await page.getByText('You may look at one run').waitFor();
    await expect.poll(() => page.getByText(hidden.id.slice(-4)).count()).toBe(0);
  });

  webTest(
    '[W45] whoever loses access while a page is open is told at once, and loses nothing that was typed',
    async () => {
      await app().server.engine.register(hello);
      const { id, key } = await makeKey(app(), '*');
      const page = await signIn(app(), key, '/workflows/hello');
      await page.getByRole('button', { name: 'Start a run' }).click();
      await page.getByLabel('Input').fill('{ "typed": "by hand" }');
      await app().server.keys.revoke(id, operator);
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      const { key: next } = await makeKey(app(), '*');
      await page.getByLabel('API key').fill(next);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor({ state: 'detached' });
      await expect.poll(() => page.getByLabel('Input').inputValue()).toContain('by hand');
    },
  );

  webTest('[W45] whoever signs in again where they were sees what happens from then on, without a reload', async () => {
    const { engine } = app().server;
    for (const definition of [hello, asking]) await engine.register(definition);
    const waiting = await engine.start('asking', {});
    const { id, key } = await makeKey(app(), '*');
    const list = await signIn(app(), key, '/runs');
    const run = await signIn(app(), key, `/runs/${waiting.id}`);
    await list.locator(`a[href="/runs/${waiting.id}"]`).waitFor();
    await run.locator('.run-header').getByText('suspended').waitFor();
    await app().server.keys.revoke(id, operator);
    for (const page of [list, run]) {
      const { key: next } = await makeKey(app(), '*');
      const dialog = page.getByRole('dialog', { name: 'You are signed out' });
      await dialog.getByLabel('API key').fill(next);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    const later = await engine.start('hello', {});
    await list.locator(`a[href="/runs/${later.id}"]`).waitFor();
    const [prompt] = await waiting.prompts();
    await waiting.reply(prompt?.correlationId ?? '', 'yes');
    await run.locator('.run-header').getByText('completed').waitFor();
  });

  webTest(
    '[W46] a page of another origin can neither act in the name of whoever is signed in, nor frame the app',
    async () => {
      const { engine } = app().server;
      for (const definition of [hello, asking]) await engine.register(definition);
      const waiting = await engine.start('asking', {});
      await expect.poll(() => waiting.status()).toBe('suspended');
      const { key } = await makeKey(app(), '*');
      const context = await app().browser.newContext();
      onTestFinished(() => context.close());
      await signIn(app(), key, '/', { in: context });
      const before = (await engine.runs({ workflow: 'hello' })).length;
      // The same host and another port: the browser sends the cookie, the server must look at who asks.
      const foreign = await foreignPage(context, app().url, waiting.id);
      expect(await waiting.status()).toBe('suspended');
      expect((await engine.runs({ workflow: 'hello' })).length).toBe(before);
      const framed = foreign.frames().filter((frame) => frame.url().startsWith(app().url));
      expect(framed.map((frame) => frame.url())).toEqual([]);
    },
  );
});

/** A page on the same host, of another origin, that has tried what it can. */
async function foreignPage(context: BrowserContext, target: string, runId: string): Promise<Page> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(attack(target, runId));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`); // it listens on a port
  await page.waitForFunction('document.title === "tried"');
  return page;
}

/** Sends a start and a cancel by every way that needs nobody's leave, and frames the app. */
const attack = (target: string, runId: string): string => `<!doctype html>
<title>Foreign</title>
<iframe name="answer"></iframe>
<form method="post" enctype="text/plain" action="${target}/v1/runs" target="answer">
  <input name='{"workflow":"hello","input":"' value='"}'>
</form>
<script type="module">
  const loaded = (frame) => new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const headers = { 'content-type': type };
    const init = { method: 'POST', mode: 'no-cors', credentials: 'include', headers, body: '{"workflow":"hello"}' };
    await fetch('${target}/v1/runs', init).catch(() => undefined);
  }
  // It needs no body, so that only who asks can be held against it.
  const cancel = { method: 'POST', mode: 'no-cors', credentials: 'include' };
  await fetch('${target}/v1/runs/${runId}/cancel', cancel).catch(() => undefined);
  const answered = loaded(document.querySelector('iframe'));
  document.querySelector('form').submit();
  await answered;
  const frame = Object.assign(document.createElement('iframe'), { src: '${target}/runs' });
  const framed = loaded(frame);
  document.body.append(frame);
  await framed;
  document.title = 'tried';
</script>`;
