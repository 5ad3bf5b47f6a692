import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from 'heddle';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { addFromPalette, clickCanvas, fileNamed, jsonArea, nodeNamed, savedDraft } from './editor.testsuite.ts';
import { describeWebApp, webTest } from './web-app.testsuite.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const example = (name: string) =>
  JSON.parse(readFileSync(path.join(here, '../../examples', name), 'utf8')) as JsonObject; // a definition

const placed = {
  id: 'placed',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'core.echo', retry: { maxAttempts: 3 }, meta: { position: { x: 0, y: 0 } } },
    { id: 'b', meta: { position: { x: 0, y: 140 } } },
  ],
  transitions: [{ from: 'a', to: 'b', condition: 'true' }],
};

describeWebApp('the editor and definitions from elsewhere', {}, (app) => {
  const engine = () => app().server.engine;

  webTest('[W07] copied nodes keep their settings in another workflow, and get ids that are free', async () => {
    await engine().register({ ...placed, id: 'copy-from' });
    await engine().register({ ...placed, id: 'copy-to' });
    const context = await app().browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const from = await app().open('/workflows/copy-from/edit', { in: context });
    await nodeNamed(from, 'a').waitFor();
    await clickCanvas(from);
    await from.keyboard.press('Control+a');
    await from.keyboard.press('Control+c');
    await from.getByText('Copied 2 nodes').waitFor();
    const to = await app().open('/workflows/copy-to/edit', { in: context });
    await nodeNamed(to, 'a').waitFor();
    await clickCanvas(to);
    await to.keyboard.press('Control+v');
    await nodeNamed(to, 'b-2').waitFor();
    await savedDraft(to);
    const { content } = await engine().drafts.get('copy-to');
    expect(content).toMatchObject({
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'a-2', action: 'core.echo', retry: { maxAttempts: 3 } }, { id: 'b-2' }],
      transitions: [
        { from: 'a', to: 'b' },
        { from: 'a-2', to: 'b-2', condition: 'true' },
      ],
    });
    await to.keyboard.press('Control+z');
    await nodeNamed(to, 'b-2').waitFor({ state: 'detached' });
    await expect.poll(() => nodeNamed(to, 'a-2').count()).toBe(0);
    await context.close();
  });

  webTest('[W08] edited JSON is drawn, and what is drawn is in the JSON', async () => {
    await engine().register(placed);
    const page = await app().open('/workflows/placed/edit');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await jsonArea(page).fill(JSON.stringify({ ...placed, nodes: [...placed.nodes, { id: 'typed' }] }, null, 2));
    await nodeNamed(page, 'typed').waitFor();
    await addFromPalette(page, 'Wait');
    await nodeNamed(page, 'wait').waitFor();
    await expect.poll(() => jsonArea(page).textContent()).toContain('"seconds": 60');
    // What does not parse is kept as it is, with the problem, and the drawing stays.
    await jsonArea(page).fill('{ "id": "placed", ');
    await page.getByText('Problems: 1 error').click();
    await page
      .locator('.hd-problems')
      .getByText(/Expected JSON, but/)
      .waitFor();
    await savedDraft(page);
    await expect.poll(async () => (await engine().drafts.get('placed')).text).toBe('{ "id": "placed", ');
    await page.reload();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await expect.poll(() => jsonArea(page).textContent()).toBe('{ "id": "placed", ');
    await expect.poll(() => nodeNamed(page, 'typed').count()).toBe(1);
  });

  const imports = [
    ['React Flow', '17-workflow-builder/workflow.json'],
    ['dataflow', '09-dataflow/workflow.json'],
    ['thread', '10-threads/workflow.json'],
    ['handle', '12-handles/workflow.json'],
  ] as const;

  webTest('[W09] files of React Flow, dataflow, thread and handle graphs are imported in one step', async () => {
    const page = await app().open('/workflows/imported/edit');
    const chooser = page.getByLabel('File to import');
    for (const [kind, name] of imports) {
      const definition = example(name);
      await chooser.setInputFiles(fileNamed(`${kind}.json`, definition));
      await page.getByText(`Done: Import ${kind}.json`, { exact: true }).waitFor();
      const nodes = definition['nodes'] as readonly JsonObject[]; // of an example
      await page.getByRole('tab', { name: `Nodes (${nodes.length})` }).waitFor();
      await savedDraft(page);
      await expect
        .poll(async () => (await engine().drafts.get('imported')).content)
        .toMatchObject({ ...definition, id: 'imported' });
    }
    for (let left = imports.length; left > 0; left -= 1) await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).isEnabled()).toBe(false);
    await page.getByText('Draw imported').waitFor();
  });

  webTest('[W10] the file that is exported is what was registered', async () => {
    const drawing = { ...example('17-workflow-builder/workflow.json'), id: 'exported' };
    await engine().register(drawing);
    const page = await app().open('/workflows/exported/edit');
    await page.getByRole('button', { name: 'File', exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as a file' }).click(),
    ]);
    const exported: unknown = JSON.parse(readFileSync(await file.path(), 'utf8'));
    expect(exported).toEqual(drawing);
    expect(await engine().register(exported)).toMatchObject({ version: 1, isNew: false });
  });

  webTest('[W11] arranged nodes do not overlap', async () => {
    const nodes = Array.from({ length: 30 }, (_, n) => ({ id: `n${n}`, meta: { position: { x: 0, y: 0 } } }));
    const transitions = nodes.slice(1).map(({ id }, n) => ({ from: `n${Math.floor(n / 2)}`, to: id }));
    await engine().register({ id: 'heap', initialNode: 'n0', nodes, transitions });
    const page = await app().open('/workflows/heap/edit');
    await nodeNamed(page, 'n0').waitFor();
    await clickCanvas(page);
    await page.keyboard.press('l');
    await page.getByText('Done: Arrange', { exact: true }).waitFor();
    await page.keyboard.press('f');
    await expect.poll(() => page.locator('.react-flow__node').count()).toBe(30);
    const boxes = await Promise.all((await page.locator('.react-flow__node').all()).map((node) => node.boundingBox()));
    const overlaps = boxes.flatMap((a, place) =>
      boxes
        .slice(place + 1)
        .filter(
          (b) => a!.x < b!.x + b!.width && b!.x < a!.x + a!.width && a!.y < b!.y + b!.height && b!.y < a!.y + a!.height,
        ),
    );
    expect(overlaps).toEqual([]);
  });

  webTest('[W17] a thousand nodes are opened and checked, one is found, shown and removed', async () => {
    const nodes = Array.from({ length: 1_000 }, (_, n) => ({
      id: `n${n}`,
      action: 'core.echo',
      meta: { position: { x: (n % 25) * 260, y: Math.floor(n / 25) * 130 } },
    }));
    const transitions = nodes.slice(1).map(({ id }, n) => ({ from: `n${n}`, to: id }));
    await engine().register({ id: 'thousand', initialNode: 'n0', nodes, transitions });
    const page = await app().open('/workflows/thousand/edit');
    await page.getByRole('tab', { name: 'Nodes (1000)' }).click();
    await page.getByText('Problems: 0 errors').waitFor();
    await page.getByRole('list', { name: 'Nodes' }).getByRole('button', { name: /^n40 / }).click();
    await nodeNamed(page, 'n40').waitFor();
    await page.getByRole('button', { name: 'Remove Del' }).click();
    await page.getByRole('tab', { name: 'Nodes (999)' }).waitFor();
    await savedDraft(page);
    const { content } = await engine().drafts.get('thousand');
    expect((content as JsonObject)['nodes']).toHaveLength(999);
  });

  webTest('[W17] edges end at the handles of nodes, of those too that are larger than the canvas expects', async () => {
    const at = (x: number, y: number) => ({ meta: { position: { x, y } } });
    await engine().register({
      dialect: 'thread',
      id: 'ends',
      nodes: [
        { id: 'start', type: 'start', ...at(300, 0) },
        { id: 'fan', type: 'fanOut', outputs: ['left', 'middle', 'right'], ...at(300, 150) },
        { id: 'join', type: 'fanIn', ...at(300, 300) },
        { id: 'end', type: 'end', ...at(300, 450) },
      ],
      connectors: [
        { from: 'start', to: 'fan' },
        ...['left', 'middle', 'right'].map((output) => ({ from: 'fan', output, to: 'join' })),
        { from: 'join', to: 'end' },
      ],
    });
    const page = await app().open('/workflows/ends/edit');
    await expect.poll(() => edgeEnds(page)).toHaveLength(10);
    const height = (await nodeNamed(page, 'fan').boundingBox())?.height ?? 0;
    for (const { distance } of await edgeEnds(page)) expect(distance).toBeLessThan(1);
    await page.evaluate(() => document.styleSheets[0]?.insertRule('.hd-node { min-height: 90px !important }'));
    await expect.poll(async () => (await nodeNamed(page, 'fan').boundingBox())?.height).toBeGreaterThan(height);
    const furthest = async (): Promise<number> => Math.max(...(await edgeEnds(page)).map(({ distance }) => distance));
    await expect.poll(furthest).toBeLessThan(1);
  });
});

/** Both ends of every edge, and how far each is from the handle that is nearest. */
const edgeEnds = (page: Page): Promise<{ readonly distance: number }[]> =>
  page.evaluate(() => {
    const handles = [...document.querySelectorAll('.react-flow__handle')].map((handle) => {
      const { left, width, top, bottom } = handle.getBoundingClientRect();
      return { x: left + width / 2, y: handle.classList.contains('source') ? bottom : top };
    });
    return [...document.querySelectorAll<SVGPathElement>('.react-flow__edge-path')].flatMap((edge) =>
      [0, edge.getTotalLength()].map((length) => {
        const { x, y } = edge.getPointAtLength(length).matrixTransform(edge.getScreenCTM() ?? undefined);
        return { distance: Math.min(...handles.map((handle) => Math.hypot(handle.x - x, handle.y - y))) };
      }),
    );
  });
