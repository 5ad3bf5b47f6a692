import type { ActionContext, JsonObject } from 'heddle';
import { expect } from 'vitest';
import {
  addFromPalette,
  clickCanvas,
  dragEdge,
  edgeBetween,
  jsonArea,
  middleOf,
  nodeNamed,
  publish,
  savedDraft,
} from './editor.testsuite.ts';
import { describeWebApp, webTest } from './web-app.testsuite.ts';

const actions = {
  rate: {
    input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    output: { type: 'object', properties: { score: { type: 'number' } } },
    run: ({ input: { name } }: ActionContext) => ({ score: typeof name === 'string' ? name.length : 0 }),
  },
};

describeWebApp('the editor', { actions }, (app) => {
  const engine = () => app().server.engine;

  webTest('[W01] three nodes are drawn, connected, published and run', async () => {
    const page = await app().open('/workflows/first-flow/edit');
    await addFromPalette(page, 'Step');
    await nodeNamed(page, 'step').waitFor();
    await addFromPalette(page, 'Step');
    await nodeNamed(page, 'step-2').waitFor();
    await expect.poll(() => edgeBetween(page, 'step', 'step-2').count()).toBe(1);
    await clickCanvas(page);
    // The third is dragged from the palette, and connected by its handles.
    const canvas = await middleOf(page.locator('.react-flow__pane'));
    const item = await middleOf(page.getByRole('button', { name: 'Point', exact: true }));
    await page.mouse.move(item.x, item.y);
    await page.mouse.down();
    await page.mouse.move(canvas.x + 180, canvas.y + 220, { steps: 8 });
    await page.mouse.up();
    await nodeNamed(page, 'point').waitFor();
    await dragEdge(page, 'step-2', 'point');
    await edgeBetween(page, 'step-2', 'point').waitFor();
    await savedDraft(page);
    await publish(page, 1);
    const run = await engine().start('first-flow', {});
    expect((await run.result()).status).toBe('completed');
    expect(await run.nodes()).toMatchObject([{ nodeId: 'step' }, { nodeId: 'step-2' }, { nodeId: 'point' }]);
  });

  webTest('[W02] a fan-out with a join from the palette gathers what its branches give', async () => {
    const page = await app().open('/workflows/fan/edit');
    await addFromPalette(page, 'Fan-out with join');
    for (const id of ['split', 'branch-1', 'branch-2', 'branch-3', 'join']) await nodeNamed(page, id).waitFor();
    await savedDraft(page);
    await publish(page, 1);
    const run = await engine().start('fan', {});
    expect(await run.result()).toMatchObject({ status: 'completed', output: { results: [{}, {}, {}] } });
  });

  webTest('[W03] a foreach over the input runs a branch for each item', async () => {
    const page = await app().open('/workflows/each-item/edit');
    await addFromPalette(page, 'For each');
    await nodeNamed(page, 'work').click();
    await page.getByRole('combobox', { name: 'Action' }).fill('rate');
    await page.getByRole('button', { name: '+ name *' }).click();
    const value = page.getByRole('textbox', { name: 'Input: value of name' });
    await value.fill('item');
    await page.getByRole('button', { name: 'Remove item' }).click();
    await savedDraft(page);
    await publish(page, 1);
    const run = await engine().start('each-item', { items: ['a', 'bb', 'ccc'] });
    const results = [{ score: 1 }, { score: 2 }, { score: 3 }];
    expect(await run.result()).toMatchObject({ status: 'completed', output: { results } });
  });

  webTest('[W04] a wrong edge is refused with the reason', async () => {
    await engine().register({
      dialect: 'thread',
      id: 'chart',
      nodes: [
        { id: 'start', type: 'start', meta: { position: { x: 0, y: 0 } } },
        { id: 'end', type: 'end', meta: { position: { x: 0, y: 200 } } },
      ],
      connectors: [{ from: 'start', to: 'end' }],
    });
    const page = await app().open('/workflows/chart/edit');
    await nodeNamed(page, 'start').waitFor();
    await dragEdge(page, 'start', 'end');
    await page.getByText('Expected one connector to leave "start", but one leads to "end" already.').waitFor();
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(1);
  });

  webTest('[W05] a problem appears while typing, and a click selects its field', async () => {
    const page = await app().open('/workflows/typing/edit');
    await addFromPalette(page, 'Step');
    await page.getByRole('button', { name: 'Add target' }).click();
    await page.getByRole('textbox', { name: 'What is kept of the result: Target 1' }).fill('state.x');
    await page.getByRole('textbox', { name: 'What is kept of the result: value of state.x' }).fill('result..y');
    const problem = page.locator('.hd-problems').getByRole('button', { name: /\/nodes\/0\/outputMapping/ });
    const counted = page.getByText(/^Problems: [1-9]\d* error/);
    await counted.waitFor();
    expect(await problem.isVisible()).toBe(false); // the list does not come between somebody and what they type
    await counted.click();
    await problem.waitFor();
    await nodeNamed(page, 'step').getByRole('img', { name: /error/ }).waitFor();
    await clickCanvas(page);
    await page.getByRole('heading', { name: 'Workflow', exact: true }).waitFor();
    await problem.click();
    await page.locator('[data-place="outputMapping/state.x"]:focus-within').waitFor();
    await page.getByRole('heading', { name: 'Step', exact: true }).waitFor();
  });

  webTest('[W05] a warning is told as one, by a word and a shape, and its field is not wrong', async () => {
    await app().server.engine.register({
      id: 'warned',
      initialNode: 'say',
      nodes: [{ id: 'say', action: 'core.echo', retry: { maxAttempts: 2, retryableErrors: ['FLAKY'] } }],
    });
    const page = await app().open('/workflows/warned/edit');
    await nodeNamed(page, 'say').click();
    await page.getByText('Problems: 0 errors, 1 warning').click();
    await page
      .locator('.hd-problems')
      .getByRole('button', { name: /^Warning/ })
      .click();
    const told = page
      .locator('.hd-inspector [data-look="waiting"]')
      .filter({ hasText: /^Warning: Expected "retryableErrors"/ });
    await told.locator('svg').waitFor();
    expect(await page.locator('.hd-inspector [aria-invalid="true"]').count()).toBe(0);
    expect(await page.locator('.hd-inspector [data-look="failed"]').count()).toBe(0);
  });

  webTest('[W06] a group is folded to one box with all that it has to say in it, and unfolded', async () => {
    const page = await app().open('/workflows/grouped/edit');
    await addFromPalette(page, 'Fan-out with join');
    await nodeNamed(page, 'branch-1').click();
    await nodeNamed(page, 'branch-2').click({ modifiers: ['Shift'] });
    await page.keyboard.press('Control+g');
    await page.getByRole('button', { name: 'Fold', exact: true }).click();
    await nodeNamed(page, 'branch-1').waitFor({ state: 'detached' });
    const unfold = page.getByRole('button', { name: 'Unfold', exact: true });
    const box = await page.locator('.react-flow__node', { has: unfold }).boundingBox();
    const button = await unfold.boundingBox();
    expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0));
    await unfold.click();
    await nodeNamed(page, 'branch-1').waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.getByRole('button', { name: 'Fold', exact: true }).waitFor({ state: 'detached' });
    await nodeNamed(page, 'branch-2').waitFor();
  });

  webTest('[W06] every kind of change is undone and done again, fifty deep', async () => {
    const page = await app().open('/workflows/undoing/edit');
    const drawn = async () => (await engine().drafts.get('undoing')).content;
    for (let count = 0; count < 26; count += 1) await addFromPalette(page, 'Point');
    await addFromPalette(page, 'Step');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed');
    await page.getByRole('textbox', { name: 'Id' }).fill('first');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Nodes (27)' }).click();
    await page.getByRole('button', { name: 'From point-26 to first' }).click();
    await page.getByRole('textbox', { name: 'Condition' }).fill('true');
    const choose = (id: string) =>
      page
        .getByRole('list', { name: 'Nodes' })
        .getByRole('button', { name: new RegExp(`^${id} `) })
        .click();
    await choose('first');
    await page.keyboard.press('Control+d');
    await page.getByRole('tab', { name: 'Nodes (28)' }).waitFor();
    await page.keyboard.press('Delete');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('l');
    await page.getByText('Done: Arrange', { exact: true }).waitFor();
    for (let count = 0; count < 12; count += 1)
      for (const id of ['first', 'point']) {
        await choose(id);
        await page.getByRole('button', { name: 'Start here' }).click();
      }
    // Moved by hand, and typed as JSON.
    await page.keyboard.press('f');
    await nodeNamed(page, 'first').hover();
    const { x, y } = await middleOf(nodeNamed(page, 'first'));
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 45, { steps: 5 });
    await page.mouse.up();
    await page.getByText('Done: Move "first"', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await expect.poll(drawn).toMatchObject({ initialNode: 'point' });
    await savedDraft(page);
    await jsonArea(page).fill(JSON.stringify({ ...((await drawn()) as JsonObject), description: 'Typed' }));
    await expect.poll(drawn).toMatchObject({ description: 'Typed' });
    const last = await drawn();
    await page.getByRole('tab', { name: 'Nodes (27)' }).click();
    const undo = page.getByRole('button', { name: 'Undo' });
    let undone = 0;
    while (await undo.isEnabled()) {
      await undo.click();
      undone += 1;
    }
    expect(undone).toBeGreaterThan(50);
    await page.getByText('No nodes yet.').waitFor();
    await expect.poll(drawn).toMatchObject({ nodes: [] });
    const redo = page.getByRole('button', { name: 'Redo' });
    for (let count = 0; count < undone; count += 1) await redo.click();
    await expect.poll(() => redo.isEnabled()).toBe(false);
    await expect.poll(drawn).toEqual(last);
  });
});
