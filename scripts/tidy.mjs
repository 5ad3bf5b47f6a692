// Tidy: the repository checks its own shape (`npm run tidy`; part of `npm run check`).
// Owns what no compiler knows: which room may import which, what a pure room may not touch, one rule in one place and
// with a test, no dead files, no long ones. The table it holds the sources to is rooms.mjs; what texts say about the
// repository is checked by tidy-texts.mjs.
// Always true: a complaint reads `file:line: what is wrong; what to do instead`; looking at no file is a complaint.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import {
  bannedInPureRooms,
  doorNamed,
  isWorkspace,
  nodeDoors,
  programs,
  pureRooms,
  roomOf,
  rooms,
  sourceRoots,
} from './rooms.mjs';
import { checkTexts } from './tidy-texts.mjs';

const fileLinesMax = 400;
const functionLinesMax = 60;

const ruleIds = '[A-Z]{2,3}\\d+(?:, [A-Z]{2,3}\\d+)*';
const ruleInSpec = /^- \*\*([A-Z]{2,3}\d+)\*\*/;
const ruleInComment = new RegExp(`^[\\s*]*(${ruleIds}):`, 'gm');
const ruleInTest = new RegExp(`\\[(${ruleIds})\\]`, 'g');

/** Looks at the whole repository below `root`; answers with the complaints and with how much it looked at. */
export function tidy(root) {
  const sources = sourceRoots.flatMap((folder) =>
    ['.ts', '.tsx'].flatMap((ending) => readSources(root, folder, ending)),
  );
  const scripts = readSources(root, 'scripts', '.mjs');
  const tests = ['tests', 'examples'].flatMap((folder) => readSources(root, folder, '.test.ts'));
  const complaints = [];
  const complain = (place, what, instead) => complaints.push(`${place}: ${what}; ${instead}`);

  if (sources.length === 0)
    complain(`${sourceRoots[0]}:1`, 'holds no source file', 'run tidy at the root of the repository');
  for (const source of sources.filter(isCode)) {
    checkName(source, complain);
    checkImports(source, complain);
    if (pureRooms.includes(source.room)) checkPurity(source, complain);
    checkCasts(source, complain);
  }
  for (const source of [...sources, ...scripts].filter(isCode)) {
    checkSizes(source, complain);
    checkLeftovers(source, complain);
  }
  checkDeadFiles(sources, complain);
  const rules = checkRules(root, [...sources, ...tests], complain);
  checkTexts(root, complain);
  return { complaints, files: sources.length, rules };
}

function readSources(root, folder, ending) {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { recursive: true })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules/'))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => readSource(root, folder, name));
}

/** A file as tidy sees it. `file` is its path in the repository, `at` turns a position in its text into a place. */
function readSource(root, folder, name) {
  const file = `${folder}/${name}`;
  const text = readFileSync(path.join(root, file), 'utf8');
  const { program, comments, module } = parseSync(file, text);
  const lineAt = (position) => text.slice(0, position).split('\n').length;
  const at = (position) => `${file}:${lineAt(position)}`;
  const isTest = /\.test(suite)?\.tsx?$/.test(file);
  const imports = listImports(text, program, module);
  return { file, room: roomOf(file), isTest, text, program, comments, imports, lineAt, at };
}

function isCode({ isTest }) {
  return !isTest;
}

/** Every module a file names: imported, re-exported, loaded later, or used as a type only. */
function listImports(text, program, { staticImports, staticExports, dynamicImports }) {
  const requests = [...staticImports, ...staticExports.flatMap(({ entries }) => entries), ...dynamicImports]
    .map(({ moduleRequest }) => moduleRequest)
    .filter(Boolean);
  const visitor = new Visitor({ TSImportType: ({ source }) => requests.push(source) });
  visitor.visit(program);
  return requests
    .map(({ start, end }) => ({ start, quoted: text.slice(start, end) }))
    .filter(({ quoted }) => /^['"]/.test(quoted)) // What is not written out, such as a user's module, is no import of ours.
    .map(({ start, quoted }) => ({ start, specifier: quoted.slice(1, -1) }));
}

function checkName({ file, room, at }, complain) {
  const isKebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.worker|\.d)?\.tsx?$/.test(path.posix.basename(file));
  const saysNothing = /[/-](utils?|helpers?|common|misc|managers?|types)[/.]/.test(file);
  if (!room) complain(at(0), 'lives in no room', 'move it, or add its room to scripts/rooms.mjs with an ADR');
  if (!isKebabCase) complain(at(0), 'is not named in kebab-case', 'name it for its main export');
  if (saysNothing) complain(at(0), 'has a name that says nothing', 'name the thing it holds');
}

function checkImports({ file, room, imports, at }, complain) {
  if (!room) return;
  for (const { specifier, start } of imports) {
    const found = resolve(file, specifier);
    const isOurs = found !== undefined;
    const target = isOurs ? roomOf(found) : undefined;
    const isAllowed = isOurs ? mayImportRoom(room, target, specifier) : mayImportPackage(room, file, specifier);
    if (isAllowed) continue;
    const instead = isOurs ? 'pass the value in, or move the code' : 'use it in a room that may, and pass the value in';
    complain(at(start), `${room} may not import ${target ?? `'${specifier}'`}`, `${instead} (scripts/rooms.mjs)`);
  }
}

/** Another package goes through the doors by their names, as users do. */
function mayImportRoom(room, target, specifier) {
  if (target === room) return true;
  const isNamed = !specifier.startsWith('.');
  return rooms[room].imports.includes(target) && isNamed === isWorkspace(room);
}

function mayImportPackage(room, file, specifier) {
  const allowed = rooms[room].packages;
  if (specifier.startsWith('node:')) return allowed.includes('node:*') || nodeDoors.includes(file);
  return allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

/** The file of ours that an import names, as a path in the repository; undefined for packages of others. */
function resolve(file, specifier) {
  if (!specifier.startsWith('.')) return doorNamed(specifier);
  return path.posix.join(path.posix.dirname(file), specifier);
}

function checkPurity({ room, program, at }, complain) {
  const memberNames = new Set(); // `state.process` and `{ process: 1 }` name a member, not the global.
  const ban = (name, { start }) => {
    const instead = bannedInPureRooms.get(name);
    if (instead) complain(at(start), `'${name}' in ${room}, a pure room`, instead);
  };
  const skipKey = ({ key, computed }) => computed || memberNames.add(key);
  const banAsync = (node) => node.async && ban('async', node);
  const visitor = new Visitor({
    MemberExpression(node) {
      if (node.computed) return;
      memberNames.add(node.property);
      ban(`${node.object.name}.${node.property.name}`, node);
    },
    Identifier: (node) => memberNames.has(node) || ban(node.name, node),
    NewExpression: (node) => node.arguments.length === 0 && ban(`new ${node.callee.name}()`, node),
    CallExpression: (node) => ban(`${node.callee.name}()`, node),
    ImportExpression: (node) => ban('import()', node),
    AwaitExpression: (node) => ban('await', node),
    ForOfStatement: (node) => node.await && ban('await', node),
    FunctionDeclaration: banAsync,
    FunctionExpression: banAsync,
    ArrowFunctionExpression: banAsync,
    Property: skipKey,
    MethodDefinition: skipKey,
    PropertyDefinition: skipKey,
    TSPropertySignature: skipKey,
    TSMethodSignature: skipKey,
  });
  visitor.visit(program);
}

/** A cast is a claim that the compiler cannot check. `as const` and `as unknown` claim nothing. */
function checkCasts({ text, program, comments, lineAt, at }, complain) {
  const lines = text.split('\n');
  const commented = new Set(comments.flatMap(({ start, end }) => [lineAt(start), lineAt(end)]));
  const isComment = (line) => /^\s*\/\//.test(lines[line - 1] ?? '');
  const visitor = new Visitor({
    TSAsExpression({ start, end, typeAnnotation: type }) {
      if (['const', 'unknown'].includes(text.slice(type.start, type.end))) return;
      const [first, own, last] = [start, type.start, end].map(lineAt);
      if (commented.has(own) || commented.has(last) || isComment(own - 1) || isComment(first - 1)) return;
      complain(at(type.start), 'a cast without a reason', 'say on its line why it is true, or give it a better type');
    },
  });
  visitor.visit(program);
}

function checkSizes({ text, program, lineAt, at }, complain) {
  const lines = lineAt(text.trimEnd().length);
  if (lines > fileLinesMax)
    complain(at(0), `has ${lines} lines, the most is ${fileLinesMax}`, 'split it: it is two things');
  const names = new Map();
  const measure = ({ start, end, id }) => {
    const length = lineAt(end) - lineAt(start) + 1;
    const name = id?.name ?? names.get(start) ?? 'without a name';
    if (length <= functionLinesMax) return;
    const what = `function ${name} has ${length} lines, the most is ${functionLinesMax}`;
    complain(at(start), what, 'decide in the parent, compute in the leaf');
  };
  const visitor = new Visitor({
    VariableDeclarator: ({ id, init }) => init && names.set(init.start, id.name),
    Property: ({ key, value }) => names.set(value.start, key.name),
    MethodDefinition: ({ key, value }) => names.set(value.start, key.name),
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  });
  visitor.visit(program);
}

function checkLeftovers({ comments, at }, complain) {
  for (const { value, start } of comments) {
    const isPromise = /\b(TODO|FIXME|XXX)\b/.test(value);
    if (isPromise) complain(at(start), 'a comment promises work', 'do it or drop it');
  }
}

/** A source file lives if a source file imports it, a test suite if anything does. Doors, programs and tests are entries. */
function checkDeadFiles(sources, complain) {
  const targets = ({ file, imports }) => imports.map(({ specifier }) => resolve(file, specifier));
  const usedByCode = new Set(sources.filter(isCode).flatMap(targets));
  const used = new Set(sources.flatMap(targets));
  for (const { file, isTest, room, at } of sources) {
    if (room === 'doors' || programs.includes(file) || /\.(test|worker|d)\.tsx?$/.test(file)) continue;
    if (isTest && !used.has(file))
      complain(at(0), 'is a test suite that nothing runs', 'run it from a test, or delete it');
    if (isTest || usedByCode.has(file)) continue;
    complain(at(0), 'is imported by no source file', 'delete it, or name it *.testsuite.ts if tests share it');
  }
}

/** One rule, one place: every rule of SPEC.md is marked once in the sources and named by at least one test. */
function checkRules(root, sources, complain) {
  const spec = readSpec(root, complain);
  const marks = new Map([...spec.keys()].map((rule) => [rule, []]));
  const tested = new Set();
  for (const source of sources) {
    for (const { rule, position } of source.isTest ? rulesInTest(source) : rulesInComments(source)) {
      const place = source.at(position);
      if (!spec.has(rule))
        complain(place, `names rule ${rule}, which SPEC.md does not have`, 'add it there, or reword');
      else if (source.isTest) tested.add(rule);
      else marks.get(rule).push(place);
    }
  }
  for (const [rule, place] of spec) {
    checkMarks(rule, place, marks.get(rule), complain);
    if (!tested.has(rule)) complain(place, `rule ${rule} has no test`, `write one whose name holds \`[${rule}]\``);
  }
  return spec.size;
}

function checkMarks(rule, place, marks, complain) {
  if (marks.length === 1) return;
  const what = `rule ${rule} is marked in ${marks.length} places`;
  if (marks.length === 0) complain(place, what, `put \`// ${rule}: …\` where the code decides it`);
  else complain(place, `${what} (${marks.join(', ')})`, 'keep one, and call it from the others');
}

/** The rules of SPEC.md, each with its place. */
function readSpec(root, complain) {
  const file = path.join(root, 'SPEC.md');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const spec = new Map();
  for (const [index, line] of lines.entries()) {
    const rule = ruleInSpec.exec(line)?.[1];
    if (!rule) continue;
    const place = `SPEC.md:${index + 1}`;
    if (spec.has(rule)) complain(place, `rule ${rule} is listed twice`, 'give the second one an id of its own');
    else spec.set(rule, place);
  }
  if (spec.size === 0) complain('SPEC.md:1', 'lists no rule', 'write each rule as a line `- **RT1** …`');
  return spec;
}

function rulesInComments({ comments }) {
  return comments.flatMap(({ value, start }) => findRules(value, start, ruleInComment));
}

function rulesInTest({ program }) {
  const found = [];
  const visitor = new Visitor({
    Literal: ({ value, start }) => typeof value === 'string' && found.push(...findRules(value, start, ruleInTest)),
    TemplateElement: ({ value, start }) => found.push(...findRules(value.raw, start, ruleInTest)),
  });
  visitor.visit(program);
  return found;
}

function findRules(text, start, pattern) {
  return [...text.matchAll(pattern)].flatMap(({ 0: match, 1: ids, index }) => {
    const position = start + index + match.indexOf(ids);
    return ids.split(', ').map((rule) => ({ rule, position }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { complaints, files, rules } = tidy(process.cwd());
  for (const complaint of complaints) console.log(complaint);
  console.log(`tidy: ${files} files, ${rules} rules, ${complaints.length} complaints`);
  if (complaints.length > 0) process.exitCode = 1;
}
