// What the pages say holds: every TypeScript block compiles against the sources as a user's strict program would, and
// every relative link leads to something that is there.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const inFolder = (folder: string) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
const withSnippets = ['README.md', 'packages/heddle/README.md', ...inFolder('docs/guide')];
const examples = readdirSync(path.join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `examples/${name.replaceAll(path.sep, '/')}`);
const withLinks = [...withSnippets, ...examples, 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'SPEC.md'];

const read = (page: string) => readFileSync(path.join(root, page), 'utf8');

interface Snippet {
  readonly page: string;
  /** Where its code begins in the page, counted from 1. */
  readonly line: number;
  readonly code: string;
}

/** The blocks that begin with "```ts" and nothing after it; "```ts fragment" marks what cannot stand alone. */
function snippetsOf(page: string): Snippet[] {
  const text = read(page);
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ index, 1: code = '' }) => ({
    page,
    line: text.slice(0, index).split('\n').length + 1,
    code,
  }));
}

/** What the pages take for granted: an action's arguments, a function of the reader's own, a run to plan for. */
const surroundings = `
import type { ActionContext } from 'heddle';
import type { Graph, RunState } from 'heddle/testing';
declare global {
  const { input, signal, idempotencyKey }: ActionContext;
  function rate(paper: string, scale: number, signal: AbortSignal): Promise<number>;
  const graph: Graph;
  const before: RunState;
  const at: number;
}
`;

const source = (name: string) => [path.join(root, 'packages/heddle/src', name)];
const settings = {
  extends: path.join(root, 'tsconfig.base.json'),
  compilerOptions: {
    types: ['node'],
    // Names that a snippet introduces and leaves to the reader.
    noUnusedLocals: false,
    noUnusedParameters: false,
    // The sources name their files as they are; a snippet outside of them may not be rewritten.
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    paths: {
      heddle: source('index.ts'),
      'heddle/testing': source('testing.ts'),
      'heddle/sqlite': source('sqlite.ts'),
    },
  },
  include: ['*.ts'],
};

/** What the compiler says, with the places as they are in the pages. */
function complaintsAbout(snippets: readonly Snippet[]): string[] {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'heddle-docs-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  write('package.json', '{ "type": "module" }');
  write('tsconfig.json', JSON.stringify(settings));
  write('surroundings.d.ts', surroundings);
  // A block without an import is a module all the same, in which `await` may stand at the top.
  for (const [index, { code }] of snippets.entries()) write(`snippet-${index}.ts`, `${code}\nexport {};\n`);
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '--noEmit', '--pretty', 'false', '-p', folder], {
    cwd: folder,
    encoding: 'utf8',
  });
  return (stdout + stderr)
    .split('\n')
    .filter((line) => line.includes('error'))
    .map((line) =>
      line.replace(/^snippet-(\d+)\.ts\((\d+),/, (_, index: string, row: string) => {
        const { page, line: first } = snippets[Number(index)] as Snippet;
        return `${page}(${first + Number(row) - 1},`;
      }),
    );
}

test('the TypeScript of every page compiles in strict mode', { timeout: 60_000 }, () => {
  const snippets = withSnippets.flatMap(snippetsOf);
  expect(new Set(snippets.map(({ page }) => page))).toContain('docs/guide/runs.md');
  expect(complaintsAbout(snippets)).toEqual([]);
});

test('a snippet that does not compile would be noticed, with its place', { timeout: 60_000 }, () => {
  const code = "import { createEngine } from 'heddle';\nawait createEngine({ stoer: 'memory' });\n";
  const [complaint = '', ...others] = complaintsAbout([{ page: 'a-page.md', line: 10, code }]);
  expect(others).toEqual([]);
  expect(complaint).toContain('a-page.md(11,22): error TS2561: Object literal may only specify known properties');
});

/** Headings as GitHub names them in addresses. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(withLinks)('every relative link of %s leads somewhere', (page) => {
  const prose = read(page)
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const broken = targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = '', anchor] = target.split('#');
    const found = path.posix.join(path.posix.dirname(page), file);
    if (file !== '' && !existsSync(path.join(root, found))) return true;
    return anchor !== undefined && !anchorsOf(file === '' ? page : found).includes(anchor);
  });
  expect(broken).toEqual([]);
});
