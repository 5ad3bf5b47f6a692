// ServerProcess: the real server on a real file and a free port, which all tenants share. It ends with the supervisor.

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { serve } from '../../packages/heddle/src/server.ts';
import { heartbeatMs, type Line, type Order } from './protocol.ts';

const say = (line: Line): void => void writeSync(1, `${JSON.stringify(line)}\n`);

async function open(file: string): Promise<void> {
  const server = await serve({
    store: file,
    port: 0,
    streams: { heartbeatMs },
    log: (level, entry) => {
      if (level === 'error') say({ type: 'broken', message: JSON.stringify(entry) });
    },
  });
  const operator = { tenant: 'default', scopes: new Set(['*']), keyId: null };
  const { key } = await server.keys.create({ name: 'operator', scopes: ['*'] }, operator);
  say({ type: 'ready', url: server.url, operatorKey: key });
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const order = JSON.parse(line) as Order; // the supervisor wrote it
  if (order.type === 'serve') void open(order.file);
  else say({ type: 'measured', bytes: process.resourceUsage().maxRSS * 1024 });
});
lines.on('close', () => process.exit());
