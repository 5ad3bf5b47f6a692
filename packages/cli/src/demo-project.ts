// Demo project: the files of the demo, as anybody would write them. They go into a folder of their own and stay there, to
// be looked at, changed and run again.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Definition } from 'heddle';

const order: Definition = {
  id: 'order',
  initialNode: 'check',
  nodes: [
    { id: 'check', action: 'core.sleep', inputMapping: { ms: '300' } },
    {
      id: 'pack',
      action: 'core.sleep',
      inputMapping: { ms: 'item.ms', name: 'item.name' },
      outputMapping: { 'state.box': 'result.name' },
    },
    {
      id: 'label',
      action: 'core.flaky',
      // The printer jams at the third box, once.
      inputMapping: { failures: '_branch.index == 2 ? 1 : 0', box: 'state.box' },
      outputMapping: { 'state.parcel': 'result.box' },
      retry: { maxAttempts: 3, backoff: 'exponential', initialDelayMs: 900 },
    },
    {
      id: 'charge',
      action: 'charge',
      inputMapping: { amount: '7 * size(state.parcels)' },
      outputMapping: { 'output.paid': 'result.paid' },
    },
    {
      id: 'receipt',
      workflow: 'receipt',
      inputMapping: { paid: 'output.paid' },
      outputMapping: { 'output.receipt': 'result.text' },
    },
  ],
  transitions: [
    {
      from: 'check',
      to: 'pack',
      foreach: { collection: 'input.items', itemVar: 'item', maxParallel: 3 },
      siblingGroup: 'boxes',
    },
    { from: 'pack', to: 'label' },
    {
      from: 'label',
      to: 'charge',
      synchronization: {
        siblingGroup: 'boxes',
        strategy: 'all',
        merge: { source: '_branch.output.parcel', target: 'state.parcels', strategy: 'append' },
      },
    },
    { from: 'charge', to: 'receipt' },
  ],
  outputMapping: { parcels: 'state.parcels', paid: 'output.paid', receipt: 'output.receipt' },
};

const receipt: Definition = {
  id: 'receipt',
  initialNode: 'write',
  nodes: [
    {
      id: 'write',
      action: 'core.sleep',
      inputMapping: { ms: '400', text: '"receipt over " + input.paid' },
      outputMapping: { 'state.text': 'result.text' },
    },
    {
      id: 'send',
      action: 'core.sleep',
      inputMapping: { ms: '400', text: 'state.text' },
      outputMapping: { 'output.text': 'result.text' },
    },
  ],
  transitions: [{ from: 'write', to: 'send' }],
};

const input = {
  items: ['apples', 'pears', 'plums', 'figs', 'dates', 'nuts'].map((name, index) => ({ name, ms: 450 + 130 * index })),
};

const actions = `import { appendFileSync, existsSync } from 'node:fs';

// A step that must not happen twice. If the process dies in the middle of it, it is called again with the same key:
// hand that key to the bank, and the bank sees that it is the same payment.
export async function charge({ input, idempotencyKey, signal }) {
  const log = new URL('bank.log', import.meta.url);
  const ms = existsSync(log) ? 1_800 : 60_000; // the bank is slow the first time: the process is killed meanwhile
  appendFileSync(log, \`\${idempotencyKey} asked by process \${process.pid}\\n\`);
  await new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
  return { paid: input.amount };
}
`;

export interface DemoProject {
  readonly folder: string;
  /** The path of a file in the folder. */
  readonly path: (name: string) => string;
}

export function writeDemoProject(): DemoProject {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-demo-'));
  const project: DemoProject = { folder, path: (name) => path.join(folder, name) };
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  writeFileSync(project.path('workflow.json'), json(order));
  writeFileSync(project.path('receipt.json'), json(receipt));
  writeFileSync(project.path('input.json'), json(input));
  writeFileSync(project.path('actions.mjs'), actions);
  return project;
}
