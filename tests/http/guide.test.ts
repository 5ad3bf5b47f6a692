// The commands of the guide to the server work, and answer what stands below them.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { served } from './server.testsuite.ts';

const page = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../docs/guide/server.md');

interface Example {
  readonly command: string;
  /** What it prints; `…` stands for anything. */
  readonly expected: string;
}

function examplesOf(text: string): readonly Example[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.split('\n\n'))
    .map((part) => {
      const lines = part.trim().split('\n');
      const command = lines.filter((line) => !line.startsWith('# ')).join('\n');
      return {
        command,
        expected: lines
          .filter((line) => line.startsWith('# '))
          .join('')
          .slice(2),
      };
    });
}

const asPattern = (expected: string): RegExp =>
  new RegExp(
    `^${expected
      .split('…')
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
      .join('[^]*?')}$`,
  );

test('the examples with curl work as they stand', async () => {
  const server = await served();
  const examples = examplesOf(readFileSync(page, 'utf8'));
  expect(examples.length).toBeGreaterThan(8);
  const mark = '-----';
  const script = examples.map(({ command }) => `${command}\necho; echo ${mark}`).join('\n');
  const { stdout } = await promisify(execFile)('sh', ['-c', script.replaceAll('http://127.0.0.1:4100', server.url)]);
  const printed = stdout.split(`${mark}\n`).map((text) => text.trim());
  for (const [index, { command, expected }] of examples.entries())
    expect(printed[index], command).toMatch(asPattern(expected));
});
