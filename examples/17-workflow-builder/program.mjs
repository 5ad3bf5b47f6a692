// What the page does, without a browser: opens the workflow, checks, saves and runs it, and answers its question.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connect } from 'heddle/client';

const args = [fileURLToPath(new URL('server.mjs', import.meta.url)), '--port', '0'];
const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
const [url] = await once(createInterface({ input: server.stdout }), 'line');
const heddle = connect({ url: `${url}/workflows` });

const { definition } = await heddle.definition('price-orders');
const problems = await heddle.validate(definition);
const { version } = await heddle.register(definition);

const run = await heddle.start('price-orders', { customer: 'Bob', address: 'bob@example.com' }, { version });
for await (const { type } of run.events()) if (type === 'input.requested') break;
const [{ correlationId, title }] = await run.prompts();
await run.reply(correlationId, { discount: 20 });
const { output } = await run.result();
const nodes = Object.fromEntries((await run.nodes()).map(({ nodeId, status }) => [nodeId, status]));

server.kill();
await once(server, 'exit');
process.stdout.write(`${JSON.stringify({ problems, title, output, nodes })}\n`);
