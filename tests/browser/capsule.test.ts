// A run as one file: exported by the page and by the command line, opened from a disk, offline.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { ActionContext } from 'heddle';
import { expect, onTestFinished } from 'vitest';
import { describeWebApp, type WebApp, webTest } from './web-app.testsuite.ts';

const heddle = fileURLToPath(new URL('../../packages/heddle/', import.meta.url));

const pay = {
  id: 'pay',
  initialNode: 'charge',
  nodes: [
    {
      id: 'charge',
      action: 'bank.charge',
      inputMapping: { text: '"card " + input.card' },
      outputMapping: { 'state.receipt': 'result.receipt' },
    },
    { id: 'thank', outputMapping: { 'output.receipt': 'state.receipt' } },
  ],
  transitions: [{ from: 'charge', to: 'thank' }],
};

const card = '4111-1111-1111-1111';
const evil = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';

const actions = {
  'bank.charge': ({ input }: ActionContext) => ({ receipt: `${evil} for ${JSON.stringify(input['text'])}` }),
};

async function paid({ server }: WebApp): Promise<string> {
  await server.engine.register(pay);
  const run = await server.engine.start('pay', { card, amount: 12 });
  await run.result();
  return run.id;
}

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-capsule-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Nobody is there to ask. */
const openFile = (app: WebApp, file: string) => app.open(pathToFileURL(file).href, { offline: true });

describeWebApp('A capsule', { actions }, (app) => {
  webTest('[W52] exported by a button, a run opens from a disk, offline, without what was redacted', async () => {
    const page = await app().open(`/runs/${await paid(app())}`);
    await page.getByRole('button', { name: 'Export…' }).click();
    await page.getByRole('textbox', { name: /redact/i }).fill('input.card');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const file = path.join(newFolder(), 'run.html');
    await (await downloading).saveAs(file);
    expect(readFileSync(file, 'utf8')).not.toContain(card);

    const capsule = await openFile(app(), file);
    await capsule.getByRole('heading', { name: 'pay, version 1' }).waitFor();
    await capsule.getByText('Some values were redacted').waitFor();
    await capsule
      .getByRole('group', { name: 'Graph' })
      .getByRole('button', { name: /^charge: completed, 1 done/ })
      .waitFor();
    await capsule
      .getByRole('region', { name: 'Timeline' })
      .getByRole('button', { name: /^charge: completed/ })
      .waitFor();
    // What a run holds is text, and copies of what was redacted are gone too.
    await capsule.getByRole('tab', { name: 'State' }).click();
    await capsule.getByText(`${evil} for`).filter({ hasText: 'card [redacted]' }).first().waitFor();
    // Back in time: before anything was done.
    await capsule.getByRole('slider', { name: 'Moment' }).focus();
    await capsule.keyboard.press('Home');
    await capsule.getByRole('group', { name: 'Graph' }).getByRole('button', { name: 'charge: not reached' }).waitFor();
    await expect.poll(() => capsule.getByText(evil).count()).toBe(0);
  });

  webTest('[W52] one that was changed is said to be so, and not drawn; the command line exports the same', async () => {
    const folder = newFolder();
    const file = path.join(folder, 'run.html');
    const command = ['export', await paid(app()), '--url', app().url, '--output', file, '--redact', 'input.card'];
    // The server is in this process: it must go on meanwhile.
    await promisify(execFile)(process.execPath, [path.join(heddle, 'dist/cli/main.js'), ...command]);
    const exported = readFileSync(file, 'utf8');
    expect(exported).not.toContain(card);
    // What shows it takes under 150 kB, compressed.
    const viewer = ['capsule.js', 'capsule.css'].map((name) => readFileSync(path.join(heddle, 'dist/web', name)));
    expect(viewer.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)).toBeLessThan(150_000);
    const whole = await openFile(app(), file);
    await whole.getByRole('heading', { name: 'pay, version 1' }).waitFor();

    const changed = path.join(folder, 'changed.html');
    writeFileSync(changed, exported.replace('"amount":12', '"amount":13'));
    const refused = await openFile(app(), changed);
    await refused.getByRole('alert').getByText('CAPSULE_TAMPERED').waitFor();
    await refused.getByText('but it was changed at commit 1').waitFor();
    await expect.poll(() => refused.getByRole('group', { name: 'Graph' }).count()).toBe(0);
  });
});
