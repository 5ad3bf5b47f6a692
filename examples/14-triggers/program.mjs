// Starts nothing itself: it publishes events and lets two nights pass, on virtual time. The triggers do the rest.
import { readFile } from 'node:fs/promises';
import { createTestEngine } from 'heddle/testing';

const read = async (name) => JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'));

// The evening before the clocks go forward; with `createEngine` it would be the actual time.
const { engine, clock, advance, settle } = await createTestEngine();
await clock.advanceTo(Date.parse('2030-03-30T20:00:00Z'));

for (const name of ['workflow.json', 'thank.json', 'report.json']) await engine.register(await read(name));
for (const trigger of await read('triggers.json')) await engine.triggers.create(trigger);

// The courier is early, and the payment is published twice: nothing is lost, and nothing happens twice.
await engine.publish('parcel.collected', { courier: 'Ada' }, { correlation: 'A17' });
for (let time = 0; time < 2; time++) {
  const { applied, fired } = await engine.publish('order.paid', { id: 'A17', total: 12 }, { id: 'payment-4711' });
  process.stderr.write(`order.paid: applied ${applied}, fired ${fired.length}\n`);
}
const free = await engine.publish('order.paid', { id: 'B4', total: 0 });
for (const { trigger, reason } of free.skipped) process.stderr.write(`${trigger} did not fire: ${reason}\n`);
await settle();
await advance(36 * 3_600_000);

const outputsOf = async (workflow) => (await engine.runs({ workflow })).map(({ output }) => output).toReversed();
const [shipped, thanked, reports] = await Promise.all(['ship', 'thank', 'report'].map(outputsOf));
await engine.close();
process.stdout.write(`${JSON.stringify({ shipped, thanked, reports })}\n`);
