// Starts a run that asks people, closes its engine while the run waits, and answers with another engine.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine } from 'heddle';

const folder = await mkdtemp(path.join(tmpdir(), 'heddle-'));
const store = path.join(folder, 'articles.db');
const read = async (name) => JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'));
const say = (text) => process.stderr.write(`${text}\n`);

const first = await createEngine({ store });
await first.register(await read('legal-check.json'));
await first.register(await read('workflow.json'));
const { id } = await first.start('publish-article', { article: { title: 'On looms' } });
await first.whenIdle();
say(`The run is ${await first.run(id).status()}. Whoever started it may go home.`);
await first.close();

const second = await createEngine({ store });
const answers = { 'Is it well written?': { editor: true }, 'Is it legal?': { lawyer: true } };
const run = second.run(id);
for (let prompts = await run.prompts(); prompts.length > 0; prompts = await run.prompts()) {
  const [{ correlationId, title }] = prompts;
  const { inputQueue } = await run.threads();
  say(`${title} ${JSON.stringify(answers[title])} (${inputQueue.length - 1} more to ask)`);
  await run.reply(correlationId, answers[title]);
  await second.whenIdle();
}
const { output } = await run.result();
await second.close();
await rm(folder, { recursive: true });
process.stdout.write(`${JSON.stringify(output)}\n`);
