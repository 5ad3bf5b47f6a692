import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

test('a server goes with the process that started it, however that ends', async () => {
  const program = `import(${JSON.stringify(path.join(import.meta.dirname, 'postgres-server.mjs'))})
    .then(({ startPostgres }) => startPostgres()).then(({ folder }) => { console.log(folder); setInterval(() => {}, 1e6); })`;
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const folder = await new Promise<string>(
    (resolve) => void child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim())),
  );
  expect(existsSync(path.join(folder, 'data/postmaster.pid'))).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(() => existsSync(folder), { interval: 5 }).toBe(false);
});
