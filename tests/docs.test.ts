// What the pages say holds: every TypeScript block compiles against the sources as a user's strict program would, those
// that are whole programs print what stands beside them, every definition is valid, the tables of status words say what
// the functions give, pieces that are quoted from an example are in it, and every relative link leads to something that is
// there.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { recalculate } from '../bench/scaling-page.mjs';
import { cloudflareFiles } from '../packages/cli/src/init-cloudflare.ts';
import { classicTokenStatus, dataflowStatus, executionStatus, threadStatus } from '../packages/heddle/src/dialects.ts';
import {
  arithmeticNodes,
  createEngine,
  isTerminal,
  type RunStatus,
  type TokenViewStatus,
} from '../packages/heddle/src/index.ts';
import { compile, doors, makeProject } from './project.testsuite.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const inFolder = (folder: string) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
const withSnippets = ['README.md', 'packages/heddle/README.md', ...inFolder('docs/guide')];
const examples = readdirSync(path.join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `examples/${name.replaceAll(path.sep, '/')}`);
const withLinks = [
  ...withSnippets,
  'packages/heddle-react/README.md',
  ...examples,
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'SPEC.md',
  'docs/RELIABILITY.md',
];

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

/** What the compiler says, with the places as they are in the pages. */
async function complaintsAbout(snippets: readonly Snippet[]): Promise<string[]> {
  const project = makeProject();
  project.write('surroundings.d.ts', surroundings);
  // A block without an import is a module all the same, in which `await` may stand at the top.
  for (const [index, { code }] of snippets.entries()) project.write(`snippet-${index}.ts`, `${code}\nexport {};\n`);
  const errors = await compile(project);
  return errors.map((error) =>
    error.replace(/^snippet-(\d+)\.ts\((\d+),/, (_, index: string, row: string) => {
      const { page, line: first } = snippets[Number(index)] as Snippet;
      return `${page}(${first + Number(row) - 1},`;
    }),
  );
}

test('the TypeScript of every page compiles in strict mode', async () => {
  const snippets = withSnippets.flatMap(snippetsOf);
  expect(new Set(snippets.map(({ page }) => page))).toContain('docs/guide/runs.md');
  expect(await complaintsAbout(snippets)).toEqual([]);
});

test('a snippet that does not compile would be noticed, with its place', async () => {
  const code = "import { createEngine } from 'heddle';\nawait createEngine({ stoer: 'memory' });\n";
  const [complaint = '', ...others] = await complaintsAbout([{ page: 'a-page.md', line: 10, code }]);
  expect(others).toEqual([]);
  expect(complaint).toContain('a-page.md(11,22): error TS2561: Object literal may only specify known properties');
});

/** What JSON blocks hold that are a whole definition. */
function definitionsOf(page: string): { readonly id: string }[] {
  const blocks = [...read(page).matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = '']) => JSON.parse(json) as object);
  return blocks.filter((json): json is { id: string } => 'id' in json && 'nodes' in json);
}

/** Programs that end by closing their engine. What they print stands behind `console.log`, as a comment. */
const programs = withSnippets.flatMap(snippetsOf).filter(({ code }) => code.endsWith('\nawait engine.close();\n'));

/** Objects that are printed over several lines stand in one in the pages. */
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

function commentsOf(code: string): string {
  const comments = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, comment = '']) => comment);
  return inOneLine(comments.join(' '));
}

/** Each in a folder of its own, which holds the definitions of its page as files named for their ids. */
async function runPrograms(folder: string): Promise<string[]> {
  const names = programs.map((_, index) => `program-${index}`);
  await build({
    absWorkingDir: folder,
    entryPoints: names.map((name) => `${name}.ts`),
    outdir: 'built',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    alias: doors,
    external: ['@photostructure/sqlite'],
  });
  return Promise.all(
    programs.map(async ({ page }, index) => {
      const cwd = mkdtempSync(path.join(folder, 'home-'));
      for (const definition of definitionsOf(page))
        writeFileSync(path.join(cwd, `${definition.id}.json`), JSON.stringify(definition));
      const program = path.join(folder, 'built', `program-${index}.js`);
      const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd });
      return inOneLine(stdout);
    }),
  );
}

test('the programs of the pages print what stands beside them', async () => {
  const { folder, write } = makeProject();
  for (const [index, { code }] of programs.entries()) write(`program-${index}.ts`, code);
  const printed = await runPrograms(folder);
  const asTable = (texts: readonly string[]) => programs.map(({ page, line }, index) => [page, line, texts[index]]);
  expect(new Set(programs.map(({ page }) => page))).toContain('docs/guide/bring-your-graph.md');
  expect(asTable(printed)).toEqual(asTable(programs.map(({ code }) => commentsOf(code))));
});

test('the definitions of the pages are valid', async () => {
  // Their actions are the reader's own, and may come later.
  const engine = await createEngine({ nodeTypes: arithmeticNodes, loadAction: () => undefined });
  const definitions = withSnippets.flatMap(definitionsOf);
  expect(definitions.map(({ id }) => id)).toEqual(expect.arrayContaining(['approve-order', 'share-bill', 'order']));
  expect(definitions.flatMap((definition) => engine.validate(definition))).toEqual([]);
  await engine.close();
});

/** Pages that quote a program of the examples, with the folder that it is in, and in how many pieces. */
const quoting = [
  ['docs/guide/workflow-builder.md', 'examples/17-workflow-builder', 11],
  ['docs/guide/web-components.md', 'examples/18-embedded-views', 6],
] as const;

/** Line by line, wherever it is indented. */
const linesOf = (code: string): string =>
  code
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('\n');

test.each(quoting)('what %s quotes is in %s', (page, folder, pieces) => {
  const quoted = [...read(page).matchAll(/^```jsx?\n(.*?)^```$/gms)].map(([, code = '']) => linesOf(code));
  const files = readdirSync(path.join(root, folder)).filter((name) => /\.(mjs|jsx)$/.test(name));
  const program = files.map((name) => linesOf(read(`${folder}/${name}`))).join('\n\n');
  expect(quoted.length).toBeGreaterThanOrEqual(pieces);
  expect(quoted.filter((code) => !program.includes(code))).toEqual([]);
});

test('what docs/guide/cloudflare.md quotes is in the project that heddle init --cloudflare makes', () => {
  const files = cloudflareFiles('hello', '0.1.0');
  const [program = ''] = /(?<=^```ts fragment\n).*?(?=^```$)/ms.exec(read('docs/guide/cloudflare.md')) ?? [];
  const [settings = ''] = /(?<=^```jsonc\n).*?(?=^```$)/ms.exec(read('docs/guide/cloudflare.md')) ?? [];
  const missing = (text: string, file = '') =>
    linesOf(text)
      .split('\n')
      .filter((line) => !linesOf(file).includes(line));
  expect(missing(program, files['src/index.ts'])).toEqual([]);
  expect(missing(settings, files['wrangler.jsonc'])).toEqual([]);
  expect([program, settings]).toEqual([expect.stringContaining('heddle<Env>'), expect.stringContaining('migrations')]);
});

/** The words in backticks of each cell, by row, of the tables whose first heading is this. */
function wordsOfTable(page: string, heading: string): string[][][] {
  const lines = read(page).split('\n');
  const first = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines.slice(first + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)),
  );
}

test('the table of status words says what the functions give', () => {
  const rows = wordsOfTable('docs/guide/bring-your-graph.md', '`run.status()`').slice(0, -1); // the last names them
  const done = { nodeOutputs: { a: {} }, executedNodes: ['a'], skippedNodes: [], nodeErrors: {} };
  const begun = { ...done, nodeOutputs: {}, executedNodes: [] };
  for (const [[status = ''] = [], dataflow = [], thread = [], handle = []] of rows) {
    const outcome = isTerminal(status) ? (status as 'completed') : null; // an ending is an outcome
    const progress = { isSubmitted: status === 'submitted', outcome };
    expect(thread[0]).toBe(threadStatus(status as RunStatus));
    if (status === 'suspended') continue; // only threads can be
    expect(dataflow).toEqual([dataflowStatus(progress, ['a'], status === 'completed' ? done : begun)]);
    if (status !== 'paused') expect(handle[0]).toBe(executionStatus(status as RunStatus, status === 'waiting'));
  }
  const statuses = 'submitted running waiting suspended paused completed failed cancelled timed_out exhausted';
  expect(rows.map((cells) => cells[0]?.[0])).toEqual(statuses.split(' '));
});

test('the table of token words says what the function gives', () => {
  const rows = wordsOfTable('docs/guide/bring-your-graph.md', 'token').slice(0, -1); // the last has no token
  expect(rows.flatMap(([tokens = []]) => tokens)).toHaveLength(16);
  for (const [tokens = [], [word] = []] of rows) {
    for (const token of tokens) expect([token, classicTokenStatus(token as TokenViewStatus)]).toEqual([token, word]);
  }
});

test('the arithmetic of docs/guide/scaling.md follows from the counters that it states', () => {
  const page = read('docs/guide/scaling.md');
  expect(recalculate(page)).toBe(page);
  const others = page.replace(/<!-- counters -->.*?<!-- \/counters -->/s, (table) => table.replaceAll(/\d \|/g, '7$&'));
  expect(recalculate(others)).not.toBe(others);
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
