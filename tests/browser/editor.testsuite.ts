// What tests of the editor do again and again.

import type { Locator, Page } from 'playwright-core';

export const nodeNamed = (page: Page, id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);

export const edgeBetween = (page: Page, from: string, to: string): Locator =>
  page.locator(`.react-flow__edge[data-id^="${from}~"][data-id*="~${to}~"]`);

/** From the bottom of one node to the top of the other. */
export async function dragEdge(page: Page, from: string, to: string): Promise<void> {
  const source = await middleOf(nodeNamed(page, from).locator('.react-flow__handle.source').first());
  const target = await middleOf(nodeNamed(page, to).locator('.react-flow__handle.target').first());
  await page.mouse.move(source.x, source.y);
  await page.mouse.down();
  await page.mouse.move((source.x + target.x) / 2, (source.y + target.y) / 2, { steps: 5 });
  await page.mouse.move(target.x, target.y, { steps: 5 });
  await page.mouse.up();
}

export async function middleOf(part: Locator): Promise<{ x: number; y: number }> {
  const box = await part.boundingBox();
  if (box === null) throw new Error('Expected the part to be in the page, but it is not');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** A place of the canvas without nodes: nothing is selected after a click. */
export const clickCanvas = (page: Page): Promise<void> =>
  page.locator('.react-flow__pane').click({ position: { x: 12, y: 12 } });

export const addFromPalette = (page: Page, title: string): Promise<void> =>
  page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: title, exact: true }).click();

export const savedDraft = (page: Page): Promise<void> => page.getByText('Draft saved').waitFor();

/** Publishes by the dialog, and waits for the version. */
export async function publish(page: Page, version: number): Promise<void> {
  await page.getByRole('button', { name: 'Publish…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText(`Version ${version} is published.`).waitFor();
}

/** The JSON beside the canvas. */
export const jsonArea = (page: Page): Locator => page.getByRole('textbox', { name: 'Definition as JSON' });

export const fileNamed = (name: string, content: unknown) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(content)),
});
