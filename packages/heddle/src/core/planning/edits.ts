// Edits: what nodes of dialects write, make their input of, and make of the run's output. Rules ED….

import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { isJsonObject, type Path, readPath, writePath } from '../../base/path.ts';
import { stableStringify } from '../../base/stable-json.ts';
import { joinTarget } from '../../base/targets.ts';
import type { Edit, Source } from '../../definition/graph.ts';
import { writeInto } from '../apply/groups.ts';
import type { Write } from '../events.ts';
import type { Token } from '../state.ts';
import { spendValue, spendView, spendWrites } from './allowance.ts';
import { beginMapping, describeSource, noteValue } from './explain.ts';
import { applyInputMapping, type Evaluated, evaluate, refuseWrites } from './mapping.ts';
import { nodeOf, type Planning } from './planning.ts';
import { composeView, describeValue, readName, type Viewpoint } from './scope.ts';

/** ED1: edits are made in order, and each sees what those before it have written. */
export function planEdits(
  p: Planning,
  from: Viewpoint,
  edits: readonly Edit[],
): { writes: Write[] } | { failure: Failure } {
  const writes: Write[] = [];
  if (!from.context) spendView(p, from.branch);
  let context = from.context ?? composeView(p.state, from.branch);
  for (const [index, edit] of edits.entries()) {
    const made: Write[] = [];
    const failure = makeEdit(p, { ...from, context }, edit, {
      read: (key) => context.state[key],
      write: (path, value) => made.push(writeAt(context.state, path, value)),
    });
    if (failure) return { failure };
    for (const write of made) writes.push(write);
    spendWrites(p, context, made);
    if (p.fatal) return { failure: p.fatal };
    // A copy of all that the state holds: only for whoever still reads it.
    if (index < edits.length - 1) context = writeInto(context, made);
  }
  const failure = refuseWrites(p, from.branch, writes);
  return failure ? { failure } : { writes };
}

/** ED6: objects that a write has to make on its way are written with it, and stay when it is removed again. */
function writeAt(state: Json, path: Path, value: Json | undefined): Write {
  if (value === undefined) return [joinTarget(['state', ...path])];
  let here: Json | undefined = state;
  for (const [index, key] of path.slice(0, -1).entries()) {
    here = isJsonObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
    if (isJsonObject(here)) continue;
    const place = path.slice(0, index + 1);
    return [joinTarget(['state', ...place]), writePath(undefined, path.slice(index + 1), value)];
  }
  return [joinTarget(['state', ...path]), value];
}

/** An object made from nothing: an input, an output. */
export function buildObject(
  p: Planning,
  from: Viewpoint,
  edits: readonly Edit[],
): { value: JsonObject } | { failure: Failure } {
  let made: Record<string, Json> = {};
  const write = (path: Path, value: Json | undefined): void => {
    const [key, ...rest] = path;
    if (key === undefined || value === undefined) return;
    if (rest.length === 0) made[key] = value;
    else made = writePath(made, path, value) as Record<string, Json>; // an object, for its path is not empty
  };
  for (const edit of edits) {
    const failure = makeEdit(p, from, edit, { read: (key) => made[key], write });
    if (failure) return { failure };
  }
  return { value: made };
}

/** The input of a token's work: what its edits build, or its mapping. */
export function inputFor(p: Planning, token: Token): { value: JsonObject } | { failure: Failure } {
  const { inputEdits, inputMapping } = nodeOf(p, token.node);
  if (p.decisions) beginMapping(p, 'input', token);
  return inputEdits
    ? buildObject(p, { branch: token.branch, lastError: token.lastError, failure: token.failure }, inputEdits)
    : applyInputMapping(p, token, inputMapping);
}

interface Target {
  readonly read: (key: string) => Json | undefined;
  /** Undefined: what is there is removed. */
  readonly write: (path: Path, value: Json | undefined) => void;
}

function makeEdit(p: Planning, from: Viewpoint, edit: Edit, target: Target): Failure | null {
  if (edit.type === 'delete') {
    target.write(edit.path, undefined);
    return null;
  }
  const found = readSource(p, from, edit.source);
  if (p.decisions) noteValue(p, edit.type === 'merge' ? '*' : edit.path.join('.'), describeSource(edit.source), found);
  if ('failure' in found) return found.failure;
  if (edit.type === 'merge') return mergeInto(target, found.value);
  if (found.value !== undefined) target.write(edit.path, found.value);
  // ED2: what has no value is not written; where one is required the node fails.
  else if (edit.isRequired) return missing(edit, found.missing);
  return null;
}

function missing({ path, source }: Extract<Edit, { type: 'set' }>, why: string | undefined): Failure {
  const from = source.type === 'path' ? ` from ${source.path.join('.')}` : '';
  return {
    code: 'VALUE_MISSING',
    message: `Expected a value for ${path.join('.')}${from}, but ${why ?? 'there is none'}`,
    details: { path: path.join('.') },
  };
}

/** ED3: to merge writes every key of an object that differs from what is there, objects key by key; nothing writes nothing. */
function mergeInto({ read, write }: Target, value: Json | undefined): Failure | null {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) return notMerged(`found ${describeValue(value)}`);
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') return notMerged(`found the key ${key}`);
    for (const [path, leaf] of changesOver([key], read(key), member)) {
      const there = readPath(read(key), path.slice(1));
      if (there === undefined || stableStringify(there) !== stableStringify(leaf)) write(path, leaf);
    }
  }
  return null;
}

const notMerged = (found: string): Failure => ({
  code: 'VALUE_INVALID',
  message: `Expected an object whose keys can be written, but ${found}`,
});

/**
 * What laying `above` over `below` changes: whole values, and objects key by key, so that nobody takes what was there
 * before for written. Depth is bounded by `jsonDepthMax`, which all values have passed.
 */
export function changesOver(path: Path, below: Json | undefined, above: Json): readonly (readonly [Path, Json])[] {
  if (!isJsonObject(above) || !isJsonObject(below)) return [[path, above]];
  return Object.entries(above).flatMap(([key, value]) =>
    changesOver([...path, key], Object.hasOwn(below, key) ? below[key] : undefined, value),
  );
}

/** ED4: a source is a value, a path, an expression, the first of several that is there, or the list of those. */
export function readSource(p: Planning, from: Viewpoint, source: Source): Evaluated {
  switch (source.type) {
    case 'literal':
      return weighed(p, source.value);
    case 'path': {
      const [root = '', ...path] = source.path;
      return weighed(p, readPath(readName(p.state, from, root), path));
    }
    case 'expression':
      return evaluate(p, from, source.expression);
    case 'first':
    case 'list':
      return readSeveral(p, from, source);
  }
}

/** A value that no expression made, if the command may still hold it. */
export function weighed(p: Planning, value: Json | undefined): Evaluated {
  spendValue(p, value);
  return p.fatal ? { failure: p.fatal } : { value };
}

function readSeveral(
  p: Planning,
  from: Viewpoint,
  { type, of }: Extract<Source, { type: 'first' | 'list' }>,
): Evaluated {
  const values: Json[] = [];
  for (const source of of) {
    const found = readSource(p, from, source);
    if ('failure' in found) return found;
    if (found.value === undefined) continue;
    if (type === 'first') return found;
    values.push(found.value);
  }
  return { value: type === 'list' && values.length > 0 ? values : undefined };
}
