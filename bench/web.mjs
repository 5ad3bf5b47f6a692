// WEB: what the pages take of a browser, measured by the pages: an editor with 1,000 nodes (time from its data to the drawing,
// frames while it is panned), and a run of 200,000 events (what is loaded to open it, and the memory of the page).

import { chromium } from 'playwright-core';
import { serve } from '../packages/heddle/dist/server.js';
import { findBrowser } from '../scripts/browser.mjs';
import { tell, withFile } from './scenario.mjs';

const nodeCount = 1_000;
const branchCount = 40_000;
const panMs = 3_000;

const ids = Array.from({ length: nodeCount }, (_, index) => `n${index}`);
const graph = {
  id: 'large',
  initialNode: 'n0',
  nodes: ids.map((id, index) => ({
    id,
    meta: { position: { x: 260 * (index % 40), y: 120 * Math.floor(index / 40) } },
  })),
  transitions: ids.slice(1).map((to, index) => ({ id: `t${to}`, from: `n${index}`, to })),
};
const wide = {
  id: 'wide',
  initialNode: 'split',
  nodes: [{ id: 'split' }, { id: 'work', action: 'core.echo' }, { id: 'end' }],
  transitions: [
    { from: 'split', to: 'work', foreach: { collection: 'input.items' } },
    { from: 'work', to: 'end', synchronization: { strategy: 'all' } },
  ],
};

await withFile(async (store) => {
  const server = await serve({ store, port: 0 });
  for (const definition of [graph, wide]) await server.engine.register(definition);
  const run = await server.engine.start('wide', { items: Array.from({ length: branchCount }, (_, item) => item) });
  await run.result();
  const args = ['--disable-gpu', '--disable-background-networking', '--enable-precise-memory-info'];
  const browser = await chromium.launch({
    executablePath: await findBrowser(),
    args,
    chromiumSandbox: process.getuid?.() !== 0,
  });
  try {
    const viewport = { width: 1440, height: 900 };
    const editor = await measureEditor(await browser.newPage({ viewport }), server.url);
    const opened = await measureRun(await browser.newPage({ viewport }), `${server.url}/runs/${run.id}`);
    tell({ ...editor, ...opened });
  } finally {
    await browser.close();
    await server.close({ graceMs: 0 });
  }
});

async function measureEditor(page, url) {
  await page.goto(`${url}/workflows/large/edit`);
  await page.locator('.react-flow__node').first().waitFor({ timeout: 120_000 });
  const drawMs = await page.evaluate(() => {
    const data = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v1/definitions/large'));
    const arrived = Math.max(...data.map(({ responseEnd }) => responseEnd));
    return performance.now() - arrived;
  });
  const framesPerSecond = await pan(page);
  return { nodes: nodeCount, drawMs, framesPerSecond };
}

/** Drags the canvas to and fro, and counts the frames that the page draws meanwhile. */
async function pan(page) {
  const { x, y, width, height } = await page.locator('.react-flow__pane').boundingBox();
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const frames = page.evaluate(
    (ms) =>
      new Promise((resolve) => {
        let count = 0;
        const begin = performance.now();
        const next = (now) => {
          count++;
          if (now - begin < ms) requestAnimationFrame(next);
          else resolve((count * 1_000) / (now - begin));
        };
        requestAnimationFrame(next);
      }),
    panMs,
  );
  await page.mouse.move(middleX, middleY);
  await page.mouse.down({ button: 'middle' });
  const until = performance.now() + panMs;
  for (let step = 0; performance.now() < until; step++)
    await page.mouse.move(middleX + 200 * Math.sin(step / 8), middleY + 100 * Math.cos(step / 8));
  await page.mouse.up({ button: 'middle' });
  return frames;
}

async function measureRun(page, address) {
  let bytes = 0;
  page.on('response', async (response) => {
    if (response.url().includes('/v1/runs/')) bytes += (await response.body().catch(() => '')).length;
  });
  const begin = performance.now();
  await page.goto(address);
  await page.locator('.react-flow__node').first().waitFor({ timeout: 120_000 });
  const openMs = performance.now() - begin;
  const heapBytes = await page.evaluate(() => performance.memory.usedJSHeapSize);
  return { openMs, loadedMb: bytes / 1e6, heapMb: heapBytes / 1e6 };
}
