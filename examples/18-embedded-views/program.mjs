// What the page does, without a browser: asks its server for a token, looks at its run, answers the question, and is refused
// everything else.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WireClient } from 'heddle/wire';

const args = [fileURLToPath(new URL('server.mjs', import.meta.url)), '--port', '0'];
const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
const [address] = await once(createInterface({ input: server.stdout }), 'line');

const { url, token, runId } = await (await fetch(`${address}/embedded`)).json();
const heddle = new WireClient({ url, key: token });
const refused = await heddle.call('startRun', { workflow: 'claim', input: {} }).catch(({ code }) => code);

for await (const { type } of heddle.follow('streamRunEvents', { runId })) if (type === 'input.requested') break;
const [{ correlationId, title }] = (await heddle.call('listPrompts', { runId })).items;
await heddle.call('replyToPrompt', { runId, correlationId, payload: { approved: true } });
const { output } = await heddle.call('waitForRun', { runId });

server.kill();
await once(server, 'exit');
process.stdout.write(`${JSON.stringify({ refused, title, output })}\n`);
