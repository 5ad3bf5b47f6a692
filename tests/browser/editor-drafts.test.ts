import { expect, onTestFinished } from 'vitest';
import { addFromPalette, nodeNamed, publish, savedDraft } from './editor.testsuite.ts';
import { describeWebApp, webTest } from './web-app.testsuite.ts';

const oneStep = (id: string) => ({
  id,
  initialNode: 'a',
  nodes: [{ id: 'a', action: 'core.echo', meta: { position: { x: 0, y: 0 } } }],
});

describeWebApp('drafts in the editor', {}, (app) => {
  const engine = () => app().server.engine;
  /** What the editor has kept of somebody else's. */
  const copyOf = async (workflow: string): Promise<unknown> => {
    const drafts = await engine().drafts.list();
    const copy = drafts.find((draft) => draft.workflow.startsWith(`${workflow}-copy`));
    return (await engine().drafts.get(copy!.workflow)).content;
  };

  webTest('[W12] a draft survives a closed browser, also what was not saved yet', async () => {
    await engine().register(oneStep('closed'));
    const context = await app().browser.newContext();
    const page = await app().open('/workflows/closed/edit', { in: context });
    await nodeNamed(page, 'a').waitFor();
    await addFromPalette(page, 'Wait');
    await savedDraft(page);
    await addFromPalette(page, 'Prompt');
    await page.close(); // at once, before it is saved
    const again = await app().open('/workflows/closed/edit', { in: context });
    for (const id of ['a', 'wait', 'ask']) await nodeNamed(again, id).waitFor();
    await context.close();
    const elsewhere = await app().open('/workflows/closed/edit');
    await nodeNamed(elsewhere, 'wait').waitFor();
    await elsewhere.getByText('from version 1').waitFor();
    expect(await engine().definitions({ id: 'closed' })).toHaveLength(1);
  });

  webTest(
    '[W13] what was not saved when a page was closed meets what somebody else saved since: both are kept',
    async () => {
      await engine().register(oneStep('met'));
      const context = await app().browser.newContext();
      onTestFinished(() => context.close());
      const expectErrors = /409|net::/;
      const ann = await app().open('/workflows/met/edit', { in: context, expectErrors });
      await nodeNamed(ann, 'a').waitFor();
      await context.setOffline(true);
      await addFromPalette(ann, 'Prompt');
      await nodeNamed(ann, 'ask').waitFor();
      await ann.close();
      await context.setOffline(false);
      const bob = await app().open('/workflows/met/edit');
      await addFromPalette(bob, 'Wait');
      await savedDraft(bob);
      await bob.close();
      const again = await app().open('/workflows/met/edit', { in: context, expectErrors });
      const dialog = again.getByRole('dialog', { name: 'Somebody has changed this draft' });
      await dialog.getByText('Node wait').waitFor();
      await dialog.getByRole('button', { name: 'Keep mine' }).click();
      await dialog.waitFor({ state: 'detached' });
      await savedDraft(again);
      expect((await engine().drafts.get('met')).content).toMatchObject({ nodes: [{ id: 'a' }, { id: 'ask' }] });
      expect(await copyOf('met')).toMatchObject({ nodes: [{ id: 'a' }, { id: 'wait' }] });
    },
  );

  webTest('[W13] two people on one draft are told, and both drawings are kept', async () => {
    await engine().register(oneStep('shared'));
    const expectErrors = /409/;
    const ann = await app().open('/workflows/shared/edit', { expectErrors });
    const bob = await app().open('/workflows/shared/edit', { expectErrors });
    await nodeNamed(ann, 'a').waitFor();
    await nodeNamed(bob, 'a').waitFor();
    await addFromPalette(ann, 'Wait');
    await savedDraft(ann);
    await bob.getByRole('dialog', { name: 'Somebody has changed this draft' }).waitFor();
    await bob.getByRole('button', { name: 'Take theirs' }).click();
    await nodeNamed(bob, 'wait').waitFor();
    await addFromPalette(bob, 'Prompt');
    await savedDraft(bob);
    const dialog = ann.getByRole('dialog', { name: 'Somebody has changed this draft' });
    await dialog.getByText('Node ask').waitFor();
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.waitFor({ state: 'detached' });
    await savedDraft(ann);
    expect((await engine().drafts.get('shared')).content).toMatchObject({ nodes: [{ id: 'a' }, { id: 'wait' }] });
    expect(await copyOf('shared')).toMatchObject({
      nodes: [{ id: 'a' }, { id: 'wait' }, { id: 'ask' }],
    });
  });

  webTest('[W14] publishing shows what changes and every problem; with errors it cannot be done', async () => {
    await engine().register(oneStep('published'));
    const page = await app().open('/workflows/published/edit');
    await nodeNamed(page, 'a').click();
    await page.getByRole('combobox', { name: 'Action' }).fill('');
    await addFromPalette(page, 'Wait');
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog');
    const changes = dialog.getByRole('list', { name: 'Changes' });
    await changes.getByText('Node wait').waitFor();
    await expect
      .poll(() => changes.getByRole('listitem').allTextContents())
      .toEqual(['changed Node a', 'added Node wait', 'added From a to wait']);
    await dialog.getByText(/One error must be fixed/).waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Publish', exact: true }).isEnabled()).toBe(false);
    await dialog.getByRole('button', { name: /Error/ }).first().waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await nodeNamed(page, 'a').click();
    await page.getByRole('combobox', { name: 'Action' }).fill('core.sleep');
    await publish(page, 2);
    await page.getByText('from version 2', { exact: true }).waitFor(); // and none is newer
    expect(await engine().drafts.list()).not.toContainEqual(expect.objectContaining({ workflow: 'published' }));
    const difference = await app().open('/workflows/published/edit?diff=1..2');
    await difference.getByRole('list', { name: 'Changes' }).getByText('Node wait').waitFor();
    await difference.getByRole('tab', { name: 'Drawing' }).click();
    await nodeNamed(difference, 'wait').getByText('added').waitFor();
    // Any two can be chosen.
    await difference.getByRole('combobox', { name: /^From/ }).selectOption('version 2');
    await difference.getByRole('combobox', { name: /^To/ }).selectOption('version 1');
    await difference.getByRole('heading', { name: 'version 2 → 1' }).waitFor();
    await difference.getByText('removed').first().waitFor();
  });

  webTest('[W18] without a mouse: draw, connect, configure, publish', async () => {
    const page = await app().open('/workflows/keyboard/edit');
    const { keyboard } = page;
    await page.getByText('Draw keyboard').waitFor();
    await page.locator('body').press('a');
    await keyboard.type('step');
    await keyboard.press('Enter');
    await nodeNamed(page, 'step').waitFor();
    await page.getByRole('tab', { name: 'Nodes (1)' }).focus();
    await keyboard.press('Enter');
    await keyboard.press('a'); // the palette comes back
    await keyboard.press('Control+a');
    await keyboard.type('point');
    await keyboard.press('Enter');
    await nodeNamed(page, 'point').waitFor();
    await keyboard.press('Escape');
    await keyboard.press('Tab'); // to the first item of the list, out of the field
    await keyboard.press('c');
    await page.getByRole('dialog', { name: 'Connect point to…' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search nodes' }).and(page.locator(':focus')).waitFor();
    await keyboard.type('step');
    await keyboard.press('Enter');
    await page.getByText('Connect "point" to "step"').waitFor();
    await page.getByRole('heading', { name: 'Transition' }).waitFor();
    await keyboard.press('e');
    await keyboard.type('has(state.again)');
    await page.getByText('has(state.again)').first().waitFor();
    await savedDraft(page);
    await keyboard.press('Tab');
    await keyboard.press('Control+Shift+P');
    await page.getByRole('dialog', { name: 'Publish keyboard' }).waitFor();
    const done = page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true });
    await expect.poll(() => done.isEnabled()).toBe(true);
    while ((await page.locator(':focus').textContent()) !== 'Publish') await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.getByText('Version 1 is published.').waitFor();
    const { definition } = await engine().definition('keyboard');
    expect(definition).toMatchObject({
      initialNode: 'step',
      transitions: [
        { from: 'step', to: 'point' },
        { from: 'point', to: 'step', condition: 'has(state.again)', loop: { maxIterations: 10 } },
      ],
    });
  });
});
