// A process that is killed in the midst of a node: the next one does not repeat the steps that were finished.

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'heddle-killed-steps-'));
const store = path.join(folder, 'heddle.db');
const effects = path.join(folder, 'effects');

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Charges, packs and mails, each a line in a file; it is killed in the midst of one of them, before or after its line. */
const program = (death: string): string => `
  import { appendFileSync } from 'node:fs';
  import { createEngine } from 'heddle';
  const die = () => process.kill(process.pid, 'SIGKILL');
  const does = (name) => ({ idempotencyKey }) => {
    if (${JSON.stringify(death)} === 'before ' + name) die();
    appendFileSync(${JSON.stringify(effects)}, name + ' ' + idempotencyKey.split('/').slice(1).join('/') + '\\n');
    if (${JSON.stringify(death)} === 'in ' + name) die();
    return name + ' done';
  };
  const executors = {
    ORDER: async ({ step, context }) => {
      for (const name of ['charge', 'pack', 'mail']) context[name] = await step.run(name, does(name));
      return context;
    },
  };
  const engine = await createEngine({ store: ${JSON.stringify(store)}, executors });
  await engine.register({ dialect: 'handle', id: 'w', nodes: [{ id: 'order', type: 'ORDER' }], connections: [] });
  const run = await engine.start('w', {}, { idempotencyKey: 'the order' });
  console.log(JSON.stringify((await run.result()).output));
  await engine.close();
`;

function live(death: string): string {
  const args = ['--input-type=module', '--eval', program(death)];
  const { stdout, stderr, signal } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return signal ?? (stdout.trim() || stderr);
}

test('[T476][EX27] killed between steps, and in the midst of them, a process repeats no finished step', () => {
  appendFileSync(effects, '');
  expect(live('before pack')).toBe('SIGKILL');
  expect(live('in pack')).toBe('SIGKILL');
  expect(live('before mail')).toBe('SIGKILL');
  expect(JSON.parse(live('never'))).toEqual({ charge: 'charge done', pack: 'pack done', mail: 'mail done' });
  // What was done when it was killed, and not yet recorded, is done again under the same key.
  const lines = ['charge 2/charge', 'pack 2/pack', 'pack 2/pack', 'mail 2/mail'];
  expect(readFileSync(effects, 'utf8').trim().split('\n')).toEqual(lines);
});
