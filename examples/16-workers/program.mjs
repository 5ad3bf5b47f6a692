// A server and two workers, each in its own process, in two languages. Neither worker knows of the other.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { connect } from 'heddle/client';
import { serve } from 'heddle/server';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const server = await serve({ store: 'memory', port: 0 });
const env = { ...process.env, HEDDLE_URL: server.url };
const start = (program, ...words) => spawn(program, words, { env, stdio: ['ignore', 'inherit', 'inherit'] });

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('There is no python3 here: Node counts the words.\n');
const workers = [
  hasPython
    ? start('python3', here('worker.py'), here('actions.py'), 'words.count')
    : start(process.execPath, here('worker.mjs'), 'words.count'),
  start(process.execPath, here('worker.mjs'), 'words.longest'),
];

const client = connect({ url: server.url });
await client.register(JSON.parse(await readFile(here('workflow.json'), 'utf8')));
const run = await client.start('words', { text: 'a loom parts its threads' });
const { output } = await run.result();

for (const worker of workers) {
  worker.kill('SIGTERM');
  if (worker.exitCode === null) await once(worker, 'exit');
}
await server.close();
process.stdout.write(`${JSON.stringify(output)}\n`);
