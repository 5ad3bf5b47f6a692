// Two runs compared in the browser.

import type { ActionContext } from 'heddle';
import { expect } from 'vitest';
import { describeWebApp, webTest } from './web-app.testsuite.ts';

const loan = {
  id: 'loan',
  initialNode: 'rate',
  nodes: [
    {
      id: 'rate',
      action: 'loan.rate',
      inputMapping: { amount: 'input.amount' },
      outputMapping: { 'state.rate': 'result.rate' },
    },
    { id: 'review', action: 'loan.step' },
    { id: 'grant', action: 'loan.step', outputMapping: { 'output.rate': 'state.rate' } },
  ],
  transitions: [
    { from: 'rate', to: 'review', condition: 'state.rate >= 5', priority: 1 },
    { from: 'rate', to: 'grant', priority: 2 },
    { from: 'review', to: 'grant' },
  ],
};

const actions = {
  'loan.rate': ({ input }: ActionContext) => ({ rate: Number(input['amount']) / 1_000 }),
  'loan.step': () => ({}),
};

describeWebApp('Comparing runs', { actions }, (app) => {
  webTest('[W34] two runs side by side: the first difference first, by a link from the run', async () => {
    const { engine } = app().server;
    await engine.register(loan);
    const [first, second] = await Promise.all([9_000, 2_000].map((amount) => engine.start('loan', { amount })));
    for (const run of [first, second]) await run?.result();
    const page = await app().open(`/runs/${first?.id}`);
    await page.getByRole('button', { name: 'Compare…' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Compare' }).click();
    await page.waitForURL(`**/runs/${first?.id}/compare/${second?.id}`);

    const difference = page.getByRole('region', { name: 'First difference' });
    await difference.getByText('First difference: rate').waitFor();
    await difference.getByText('A continued with review, B with grant.').waitFor();
    await difference.getByRole('region', { name: 'Its output, from A to B' }).getByText('rate').waitFor();
    await page.getByRole('region', { name: 'Output of the runs' }).getByText('→').waitFor();

    // Both graphs, with what differs on them; a node leads to its difference.
    const [graphA, graphB] = ['A', 'B'].map((name) =>
      page.getByRole('region', { name: new RegExp(`^Graph of ${name}:`) }),
    );
    await graphA?.locator('[data-id="rate"]').getByText('differs in input, output, route').waitFor();
    await graphB?.locator('[data-id="rate"]').getByText('differs in input, output, route').waitFor();
    await graphA?.locator('[data-id="review"]').getByText('only in A').waitFor();
    await expect.poll(() => graphB?.locator('[data-id="review"]').getByText('only in A').count()).toBe(0);
    await graphA?.locator('[data-id="review"]').click();
    await page.getByRole('region', { name: 'Difference', exact: true }).getByText('Only A came to review.').waitFor();

    const visits = page.getByRole('region', { name: 'Visits', exact: true });
    await visits.getByRole('row', { name: /^review .* only in A$/ }).waitFor();
    await expect.poll(() => visits.getByRole('row').count()).toBe(3);
    await visits.getByRole('checkbox', { name: 'Show those that are the same' }).check();
    await visits.getByRole('row', { name: /^grant .* –$/ }).waitFor();
    // A visit leads to its node in either run.
    await visits.getByRole('button', { name: 'grant' }).click();
    await page
      .getByRole('region', { name: 'Difference', exact: true })
      .getByRole('link', { name: 'Open in B' })
      .click();
    await page.waitForURL(`**/runs/${second?.id}?node=grant`);
    await page.goBack();
    await page.getByRole('link', { name: 'Swap A and B' }).click();
    await difference.getByText('A continued with grant, B with review.').waitFor();
  });

  webTest('[W34] a run that is not there is said in the words of the API', async () => {
    const page = await app().open('/runs/nowhere/compare/neither', { expectErrors: /404/ });
    await page.getByRole('alert').getByText('RUN_NOT_FOUND').waitFor();
  });
});
