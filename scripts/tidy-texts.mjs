// Texts: what comments and pages say about the repository itself must be true (`npm run tidy`). Owns two checks: a file
// or folder that a text names exists, and the table of rooms in ARCHITECTURE.md is the one that is enforced.
// Always true: records of the past (the changelog, ADRs) are left as they are.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { rooms, sourceRoots } from './rooms.mjs';

/** What is installed or made; the package's own copies of the pages lie beside its sources while it is packed. */
const notOurs = /(^|\/)(node_modules|dist|coverage|\.[^/]*)$|^packages\/heddle\/(docs|examples|[A-Z]+\.md)$/;
const ofThePast = /^(CHANGELOG\.md|docs\/adr\/.*)$/;
/** `tidy.mjs`, `core/apply/apply.ts`, `../apply/apply.ts`; not `limits.d.ts`, which the build makes. */
const fileName = /(?<![\w*@.$/{}<>…-])((?:[a-z0-9.-]+\/)*[a-z0-9][a-z0-9.-]*(?<!\.d)\.(?:ts|mjs))\b(?![/\w-])/g;
/** A folder, or a file without its ending: `core/apply`, `http/handlers/`. */
const folderName = /`([a-z][a-z-]*(?:\/[a-z][a-z-]*)+)\/?`/g;

export function checkTexts(root, complain) {
  checkNamedFiles(root, complain);
  checkRoomsTable(root, complain);
}

/** Pages for users name files of their own, which are no sources: in them only `.ts` is looked for. */
function checkNamedFiles(root, complain) {
  const entries = listEntries(root).toSorted((a, b) => (a < b ? -1 : 1));
  const known = new Set([...Object.keys(rooms), ...entries.flatMap(endingsOf)]);
  const tops = new Set(['', ...sourceRoots].flatMap((folder) => readFolders(root, folder)));
  const exists = (name) => known.has(name.replace(/^(\.\.?\/)+/, ''));
  for (const file of entries) {
    const isPage = file.endsWith('.md');
    if (ofThePast.test(file) || !(isPage || /\.(ts|mjs)$/.test(file))) continue;
    const text = readFileSync(path.join(root, file), 'utf8');
    for (const { value, start } of isPage ? [{ value: text, start: 0 }] : commentsOf(file, text)) {
      const files = [...value.matchAll(fileName)].filter(([, name]) => !(isPage && name.endsWith('.mjs')));
      const folders = [...value.matchAll(folderName)].filter(([, name]) => tops.has(name.split('/')[0]));
      for (const { 1: name, index } of [...files, ...folders]) {
        if (exists(name) || exists(`${name}.ts`)) continue;
        const line = text.slice(0, start + index).split('\n').length;
        complain(`${file}:${line}`, `names ${name}, which is not there`, 'name what is, or reword');
      }
    }
  }
}

function commentsOf(file, text) {
  return parseSync(file, text).comments.map(({ value, start }) => ({ value, start: start + 2 }));
}

/** Every file and folder of the repository, by its path. */
function listEntries(root, folder = '') {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (notOurs.test(name)) return [];
    return entry.isDirectory() ? [name, ...listEntries(root, name)] : [name];
  });
}

function readFolders(root, folder) {
  if (!existsSync(path.join(root, folder))) return [];
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** A file is named by its whole path or by the end of it: `core/apply/apply.ts`, `apply/apply.ts`, `apply.ts`. */
function endingsOf(name) {
  const parts = name.split('/');
  return parts.map((_, index) => parts.slice(index).join('/'));
}

const coreRooms = Object.keys(rooms).filter((room) => room.startsWith('core/'));

/** Every room has its row, and a row lists what `rooms.mjs` lets the room import. */
function checkRoomsTable(root, complain) {
  const file = path.join(root, 'ARCHITECTURE.md');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const missing = new Set(Object.keys(rooms));
  for (const [index, line] of lines.entries()) {
    const [, names = '', , imports = ''] = line.split('|').map((cell) => cell.trim());
    if (!names.startsWith('`')) continue;
    const place = `ARCHITECTURE.md:${index + 1}`;
    for (const room of [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => roomNamed(name))) {
      missing.delete(room);
      if (room in rooms) checkRow(place, room, imports, complain);
      else complain(place, `has a row for ${room}, which is no room`, 'see scripts/rooms.mjs');
    }
  }
  for (const room of missing) {
    const row = `| \`${room}/\` | … | ${importsText(room)} |`;
    complain('ARCHITECTURE.md:1', `has no row for the room ${room} in its table`, `add ${row}`);
  }
}

function checkRow(place, room, imports, complain) {
  const expected = importsText(room);
  if (imports !== expected)
    complain(place, `says that ${room} imports ${imports}, but it may import ${expected}`, 'correct one of them');
}

function roomNamed(name) {
  if (name === '*.ts') return 'doors';
  return name === 'core/*.ts' ? 'core/vocabulary' : name.replace(/\/$/, '');
}

/** In the order of the rooms; `core` stands for all rooms of it. */
function importsText(room) {
  const { imports } = rooms[room];
  const hasAllOfCore = coreRooms.every((one) => imports.includes(one));
  const named = Object.keys(rooms)
    .filter((one) => imports.includes(one))
    .map((one) => (hasAllOfCore && coreRooms.includes(one) ? 'core' : one));
  return [...new Set(named)].join(', ') || '–';
}
