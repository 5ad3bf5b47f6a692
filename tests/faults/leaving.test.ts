// Programs that end without closing their engine: the next one opens the store as they left it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'heddle-leaving-'));
const store = path.join(folder, 'heddle.db');

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Prints how many runs were there before its own; ends as it is told. */
const program = (ending: string): string => `
  import { createEngine } from 'heddle';
  const engine = await createEngine({ store: ${JSON.stringify(store)} });
  await engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'core.echo' }] });
  console.log((await engine.runs()).length);
  await (await engine.start('w')).result();
  ${ending}
`;

test('[FS6] a process that leaves without closing its store leaves a store that opens, however it leaves', () => {
  const endings = ['', 'process.exit(0);', "throw new Error('oh');", "process.kill(process.pid, 'SIGKILL');", ''];
  const found = endings.map((ending) => {
    const args = ['--input-type=module', '--eval', program(ending)];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    return stdout.trim() || stderr;
  });
  expect(found).toEqual(['0', '1', '2', '3', '4']);
});
