import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { rooms } from './rooms.mjs';
import { tidy } from './tidy.mjs';

/** The table of rooms as ARCHITECTURE.md must have it. `core` stands for all rooms of core. */
const core = Object.keys(rooms).filter((room) => room.startsWith('core/'));
const rowOf = ([room, { imports }]: readonly [string, { readonly imports: readonly string[] }]): string => {
  const names: Readonly<Record<string, string>> = { doors: '*.ts', 'core/vocabulary': 'core/*.ts' };
  const ordered = Object.keys(rooms).filter((one) => imports.includes(one));
  const text = ordered.join(', ').replace(core.join(', '), 'core');
  return `| \`${names[room] ?? `${room}/`}\` | things | ${text || '–'} |`;
};
const table = ['| room | owns | imports |', '| --- | --- | --- |', ...Object.entries(rooms).map(rowOf)].join('\n');

/** A small repository that tidy finds nothing wrong with. A test changes one file of it, or adds one. */
const sound: Record<string, string> = {
  'SPEC.md': '# Rules\n\n- **RT1** A token takes the first route that holds.\n- **SYN12** A join waits for all.\n',
  'packages/heddle/src/index.ts':
    "import { join } from 'node:path';\nexport { route } from './core/planning/routing.ts';\nexport { join };\n",
  'packages/heddle/src/base/assert.ts':
    "import { sha256 } from '@noble/hashes/sha2.js';\nexport const assert = sha256;\n",
  'packages/heddle/src/core/state.ts': 'export type State = { process: number; at: Date };\n',
  'packages/heddle/src/core/planning/routing.ts': [
    "import { assert } from '../../base/assert.ts';",
    "import type { State } from '../state.ts';",
    '// RT1, SYN12: the first one that holds.',
    'export const route = (state: State) => assert(state.process, new Date(0), Math.max(1, 2));',
  ].join('\n'),
  'packages/heddle/src/core/planning/routing.test.ts': "it('[RT1] takes the first', async () => Date.now());\n",
  'ARCHITECTURE.md': `# Architecture\n\nRouting is in \`core/planning\`, see \`planning/routing.ts\`.\n\n${table}\n`,
  'tests/joins.test.ts': 'it(`[T031] [SYN12] waits`, () => {});\n',
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** What tidy says of the sound repository with these files changed or added. */
function tidyWith(changes: Record<string, string>) {
  const root = mkdtempSync(path.join(tmpdir(), 'heddle-tidy-'));
  folders.push(root);
  for (const [name, text] of Object.entries({ ...sound, ...changes })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return tidy(root);
}

const src = (name: string) => `packages/heddle/src/${name}`;
const routing = src('core/planning/routing.ts');
const lines = (count: number) => '\n'.repeat(count);
const withCode = (code: string) => ({ [routing]: `${sound[routing]}\n${code}\n` });

describe('tidy', () => {
  it('finds nothing wrong with a sound repository, having looked at all of it', () => {
    expect(tidyWith({})).toEqual({ complaints: [], files: 5, rules: 2 });
  });

  it('complains when it saw no file', () => {
    const empty = mkdtempSync(path.join(tmpdir(), 'heddle-tidy-'));
    folders.push(empty);
    expect(tidy(empty).complaints).toEqual([
      'packages/heddle/src:1: holds no source file; run tidy at the root of the repository',
      'SPEC.md:1: lists no rule; write each rule as a line `- **RT1** …`',
      ...Object.keys(rooms).map((room) =>
        expect.stringContaining(
          `ARCHITECTURE.md:1: has no row for the room ${room} in its table; add | \`${room}/\` | … | `,
        ),
      ),
    ]);
  });

  it.each([
    ["import '../../actor/mailbox.ts';", 'core/planning may not import actor'],
    ["export * from '../views/trace.ts';", 'core/planning may not import core/views'],
    ["export type M = import('../../actor/mailbox.ts').Mailbox;", 'core/planning may not import actor'],
    ["import '../../nowhere/else.ts';", "core/planning may not import '../../nowhere/else.ts'"],
    ["import 'node:fs';", "core/planning may not import 'node:fs'"],
    ["import 'commander';", "core/planning may not import 'commander'"],
    ["import 'typebox/schema';", "core/planning may not import 'typebox/schema'"],
  ])('rejects a wrong import: %s', (code, what) => {
    const { complaints } = tidyWith(withCode(code));
    expect(complaints).toEqual([expect.stringContaining(`${routing}:5: ${what}; `)]);
  });

  it('rejects a wrong import from any room', () => {
    const { complaints } = tidyWith({
      [src('portable.ts')]: "import 'node:fs';\nimport '../../cli/src/main.ts';\n",
      'packages/cli/src/main.ts': [
        "import 'heddle';",
        "import 'commander';",
        "import 'node:fs';",
        "import '../../heddle/src/index.ts';",
        "import 'heddle/actor/mailbox';",
        "import '../../heddle/src/actor/mailbox.ts';",
      ].join('\n'),
      [src('actor/mailbox.ts')]: "import '../hosts/memory/store.ts';\nawait Promise.resolve(Date.now());\n",
      [src('hosts/memory/store.ts')]: "import '../sqlite/store.ts';\n",
      [src('hosts/sqlite/store.ts')]: "import 'node:fs';\nimport '@photostructure/sqlite';\n",
    });
    expect(complaints.map((complaint: string) => complaint.split(';')[0])).toEqual([
      `${src('actor/mailbox.ts')}:1: actor may not import hosts/memory`,
      `${src('hosts/memory/store.ts')}:1: hosts/memory may not import hosts/sqlite`,
      `${src('portable.ts')}:1: doors may not import 'node:fs'`,
      `${src('portable.ts')}:2: doors may not import cli`,
      'packages/cli/src/main.ts:4: cli may not import doors',
      'packages/cli/src/main.ts:5: cli may not import actor',
      'packages/cli/src/main.ts:6: cli may not import actor',
    ]);
  });

  it('holds components and pages to the doors, and components to no page', () => {
    const { complaints } = tidyWith({
      'packages/heddle-react/src/index.ts': "import 'heddle/wire';\nimport 'react';\nimport 'wouter';\n",
      'packages/heddle-react/src/run/run-view.tsx': "import '../../../../apps/web/src/main.tsx';\n",
      'apps/web/src/main.tsx': [
        "import 'heddle-react';",
        "import 'heddle-react/styles.css';",
        "import '../../../packages/heddle-react/src/run/run-view.tsx';",
        "import 'node:fs';",
      ].join('\n'),
    });
    expect(complaints.map((complaint: string) => complaint.split(';')[0])).toEqual([
      "packages/heddle-react/src/index.ts:3: components may not import 'wouter'",
      'packages/heddle-react/src/run/run-view.tsx:1: components may not import web',
      'apps/web/src/main.tsx:3: web may not import components',
      "apps/web/src/main.tsx:4: web may not import 'node:fs'",
    ]);
  });

  it.each([
    ['export const now = Date.now();', 'Date.now'],
    ['export const now = new Date();', 'new Date()'],
    ['export const now = Date();', 'Date()'],
    ['export const now = performance.now();', 'performance'],
    ['export const dice = Math.random();', 'Math.random'],
    ['export const dice = crypto.randomUUID();', 'crypto'],
    ['export async function wait() {}', 'async'],
    ['export const wait = async () => {};', 'async'],
    ['export const wait = { async wait() {} };', 'async'],
    ['await 1;', 'await'],
    ['for await (const x of []) {}', 'await'],
    ['export type Later = Promise<void>;', 'Promise'],
    ["export const late = import('../state.ts');", 'import()'],
    ['setTimeout(() => {}, 1);', 'setTimeout'],
    ['export const env = process.env;', 'process'],
    ['export const env = { process };', 'process'],
    ['export const env = globalThis;', 'globalThis'],
    ['console.log(1);', 'console'],
  ])('rejects a clock, dice, waiting and the outside world in a pure room: %s', (code, name) => {
    const { complaints } = tidyWith(withCode(code));
    expect(complaints).toEqual([expect.stringContaining(`${routing}:5: '${name}' in core/planning, a pure room; `)]);
  });

  it.each([
    'export const a = { process: 1, console() {} };',
    'export type T = { crypto: 1; performance(): void };',
    '// await Promise, Date.now()',
  ])('takes a member or a comment for no global: %s', (code) =>
    expect(tidyWith(withCode(code)).complaints).toEqual([]),
  );

  it.each([
    'export const text = route as string;',
    'export const both = [\n  route as string, // why\n  route as number,\n];',
    '/** What it is. */\nexport const text = route as unknown as string;',
  ])('rejects a cast without a reason: %s', (code) => {
    const { complaints } = tidyWith(withCode(code));
    expect(complaints).toEqual([expect.stringMatching(/:\d+: a cast without a reason; /)]);
  });

  it.each([
    'export const text = route as string; // why',
    '// Why.\nexport const text = route as string;',
    'export const list = [\n  // Why.\n  route as string,\n];',
    'export const kinds = [1, 2] as const;\nexport const any = route as unknown;',
  ])('lets a cast with a reason be: %s', (code) => expect(tidyWith(withCode(code)).complaints).toEqual([]));

  it('rejects a rule without a test, and one without a place', () => {
    const spec = `${sound['SPEC.md']}- **FO3** Nobody knows.\n`;
    expect(tidyWith({ 'SPEC.md': spec }).complaints).toEqual([
      'SPEC.md:5: rule FO3 is marked in 0 places; put `// FO3: …` where the code decides it',
      'SPEC.md:5: rule FO3 has no test; write one whose name holds `[FO3]`',
    ]);
  });

  it('rejects an unknown rule, in a comment and in a test', () => {
    const { complaints } = tidyWith({
      ...withCode('/**\n * FO9: unknown.\n */'),
      'tests/unknown.test.ts': "it('[RT1, FO8] …', () => {});\n",
    });
    expect(complaints).toEqual([
      `${routing}:6: names rule FO9, which SPEC.md does not have; add it there, or reword`,
      'tests/unknown.test.ts:1: names rule FO8, which SPEC.md does not have; add it there, or reword',
    ]);
  });

  it('rejects a rule marked in two places, and one listed twice', () => {
    const { complaints } = tidyWith({
      ...withCode('// RT1: again.'),
      'SPEC.md': `${sound['SPEC.md']}- **RT1** Once more.\n`,
    });
    expect(complaints).toEqual([
      'SPEC.md:5: rule RT1 is listed twice; give the second one an id of its own',
      `SPEC.md:3: rule RT1 is marked in 2 places (${routing}:3, ${routing}:5); keep one, and call it from the others`,
    ]);
  });

  it('rejects a dead file, even if a test keeps it warm, and a test suite that nothing runs', () => {
    const { complaints } = tidyWith({
      [src('base/dead.ts')]: 'export const dead = 1;\n',
      [src('base/warm.ts')]: 'export const warm = 1;\n',
      [src('base/warm.test.ts')]: "import './warm.ts';\nimport './shared.testsuite.ts';\n",
      [src('base/shared.testsuite.ts')]: '',
      [src('base/unused.testsuite.ts')]: '',
    });
    expect(complaints).toEqual([
      expect.stringContaining(`${src('base/dead.ts')}:1: is imported by no source file; `),
      expect.stringContaining(`${src('base/unused.testsuite.ts')}:1: is a test suite that nothing runs; `),
      expect.stringContaining(`${src('base/warm.ts')}:1: is imported by no source file; `),
    ]);
  });

  it('rejects a file over 400 lines and a function over 60, and lets one of just that size be', () => {
    const longFunctions = `function long() {${lines(60)}}\nconst arrow = () => {${lines(60)}};\nconst fits = () => {${lines(59)}};`;
    expect(tidyWith(withCode(longFunctions)).complaints).toEqual([
      `${routing}:5: function long has 61 lines, the most is 60; decide in the parent, compute in the leaf`,
      `${routing}:66: function arrow has 61 lines, the most is 60; decide in the parent, compute in the leaf`,
    ]);
    expect(tidyWith(withCode(`${lines(395)}export const last = 1;`)).complaints).toEqual([]);
    expect(tidyWith(withCode(`${lines(396)}export const last = 1;`)).complaints).toEqual([
      `${routing}:1: has 401 lines, the most is 400; split it: it is two things`,
    ]);
  });

  it('rejects a file in no room, an empty name and a promise of work', () => {
    const { complaints } = tidyWith({
      [src('index.ts')]:
        `${sound[src('index.ts')]}import './attic/thing.ts';\nimport './base/utils.ts';\nimport './base/fooBar.ts';\n`,
      [src('attic/thing.ts')]: '',
      [src('base/utils.ts')]: '// TODO: think\n',
      [src('base/fooBar.ts')]: '',
    });
    expect(complaints).toEqual([
      `${src('attic/thing.ts')}:1: lives in no room; move it, or add its room to scripts/rooms.mjs with an ADR`,
      `${src('base/fooBar.ts')}:1: is not named in kebab-case; name it for its main export`,
      `${src('base/utils.ts')}:1: has a name that says nothing; name the thing it holds`,
      `${src('index.ts')}:4: doors may not import './attic/thing.ts'; pass the value in, or move the code (scripts/rooms.mjs)`,
      `${src('base/utils.ts')}:1: a comment promises work; do it or drop it`,
    ]);
  });

  it('rejects a file or folder that a comment or a page names and that is not there', () => {
    const { complaints } = tidyWith({
      ...withCode(
        '// See gone.ts, `core/away`, ./routing.ts and core/planning/routing.ts.\n/** As `../gone/state.ts` says. */',
      ),
      'tests/joins.test.ts': '// Like older.test.ts.\nit(`[SYN12] waits for "none.ts"`, () => {});\n',
      'scripts/thing.mjs': '// Made by\n// others.mjs from limits.d.ts.\n',
      'docs/guide/a.md': 'Write `actions.mjs`,\nas `core/state.ts`, `core/stat.ts` and `text/plain` do.\n',
      'docs/adr/001.md': 'We had `once.ts`.\n',
      'CHANGELOG.md': '- `once.ts` is gone.\n',
    });
    expect(complaints).toEqual([
      'docs/guide/a.md:2: names core/stat.ts, which is not there; name what is, or reword',
      `${routing}:5: names gone.ts, which is not there; name what is, or reword`,
      `${routing}:5: names core/away, which is not there; name what is, or reword`,
      `${routing}:6: names ../gone/state.ts, which is not there; name what is, or reword`,
      'scripts/thing.mjs:2: names others.mjs, which is not there; name what is, or reword',
      'tests/joins.test.ts:1: names older.test.ts, which is not there; name what is, or reword',
    ]);
  });

  it('rejects a table of rooms that is not the one that is enforced', () => {
    const wrong = table
      .replace('| `expression/` | things | base |', '| `expression/` | things | base, actor |')
      .replace(/\n\| `credits.*/, '\n| `attic/` | things | – |');
    expect(tidyWith({ 'ARCHITECTURE.md': wrong }).complaints).toEqual([
      'ARCHITECTURE.md:4: says that expression imports base, actor, but it may import base; correct one of them',
      expect.stringMatching(/^ARCHITECTURE\.md:\d+: has a row for attic, which is no room; see scripts\/rooms\.mjs$/),
      'ARCHITECTURE.md:1: has no row for the room credits in its table; add | `credits/` | … | base, core/vocabulary, actor |',
    ]);
  });
});
