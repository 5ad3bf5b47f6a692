// Check reads: mappings and conditions read what can be there. Rules DF66 to DF69.
//
// Always true: where nothing is known nothing is said, and what is asked for before it is read (`has`, `.?`) is never
// told of. An error means that a schema of the definition itself leaves the expression without a value, always.

import { nearestHint } from '../../base/nearest.ts';
import { findReads, type Read } from '../../expression/reads.ts';
import { Budget } from '../budget.ts';
import type { Limits } from '../limits.ts';
import type { Reporter } from '../reporter.ts';
import { listNames } from '../shape.ts';
import type { Wiring } from '../wiring.ts';
import { Contexts, type Nest } from './contexts.ts';
import type { Flow, ReadSite } from './flow.ts';
import { Forks } from './forks.ts';
import { firstMissing } from './outline.ts';
import { VisibleWrites } from './visible-writes.ts';
import { WrittenValues } from './written-values.ts';

interface CheckContext {
  readonly wiring: Wiring;
  readonly start: number;
  readonly reporter: Reporter;
  readonly limits: Limits;
}

/** DF73: of the steps that a definition may take to trace. What these checks find is worth no more than that. */
const budgetShare = 0.1;

export function checkReads(flow: Flow, { wiring, start, reporter, limits }: CheckContext): void {
  const budget = new Budget(limits.definitionAnalysisMax * budgetShare);
  const contexts = new Contexts(wiring, { start, budget });
  const values = new WrittenValues(flow);
  const check: Check = {
    flow,
    reporter,
    contexts,
    values,
    visible: new VisibleWrites(flow, { values, contexts, budget }),
    forks: new Forks(wiring, budget),
    budget,
    names: wiring.nodes.map(({ id }) => id),
  };
  for (const site of flow.reads) {
    for (const read of findReads(site.source).reads) checkRead(check, site, read);
  }
}

interface Check {
  readonly flow: Flow;
  readonly reporter: Reporter;
  readonly contexts: Contexts;
  readonly values: WrittenValues;
  readonly visible: VisibleWrites;
  readonly forks: Forks;
  readonly budget: Budget;
  /** Ids of the nodes, by number. */
  readonly names: readonly string[];
}

function checkRead(check: Check, site: ReadSite, read: Read): void {
  switch (read.root) {
    case 'input':
      return checkInput(check, site, read);
    case 'result':
      return checkResult(check, site, read);
    case 'state':
    case 'context':
    case 'output':
      return checkState(check, site, read);
    case '_trigger':
    case 'nodes':
      return;
    default:
      return checkBranch(check, site, read);
  }
}

// DF67: an input has the fields of its schema; one that a closed schema lacks is never there.
function checkInput({ flow, reporter }: Check, site: ReadSite, read: Read): void {
  const missing = firstMissing(flow.input, read.keys);
  if (missing === null) return;
  const text = formatRead(read.root, read.keys.slice(0, missing.index + 1));
  report(
    reporter,
    { site, code: 'FIELD_NOT_IN_SCHEMA', isError: read.isCertain },
    {
      message: `Expected ${text} to be in the input schema, but there is no "${missing.key}" in it (${listNames(missing.known)}), in ${site.who}`,
      hint: () => nearestHint(missing.key, missing.known),
    },
  );
}

// DF68: a result has the fields of the schema that it must fit.
function checkResult({ flow, reporter }: Check, site: ReadSite, read: Read): void {
  if (!site.hasResult || site.node === null) return;
  const { outline, by, isOwnSchema } = flow.results(site.node);
  const missing = firstMissing(outline, read.keys);
  if (missing === null) return;
  const text = formatRead(read.root, read.keys.slice(0, missing.index + 1));
  const isError = read.isCertain && !site.isTolerant && isOwnSchema;
  report(
    reporter,
    { site, code: 'FIELD_NOT_IN_SCHEMA', isError },
    {
      message: `Expected ${text} to be in a result by ${by}, but there is no "${missing.key}" in it (${listNames(missing.known)}), in ${site.who}`,
      hint: () => nearestHint(missing.key, missing.known),
    },
  );
}

// DF66: state and output hold what was written on a way to the read, in its branch or in one around it.
function checkState(check: Check, site: ReadSite, read: Read): void {
  const section = read.root === 'output' ? 'output' : 'state';
  const [key] = read.keys;
  // What begins with `_` is the engine's: the last error.
  if (typeof key !== 'string' || key.startsWith('_')) return;
  const path = [section, ...read.keys];
  if (mayBeThere(check, site, path)) return;
  const text = formatRead(read.root, read.keys);
  const isWritten = check.values.isWritten([section, ...read.keys.map(String)]);
  const where =
    site.node === null || site.isOfRun ? 'at the end of a run' : `on a way to node "${check.names[site.node]}"`;
  const found = isWritten
    ? `what writes it does not do so ${where}, in the same branch or around it`
    : 'nothing writes it';
  report(
    check.reporter,
    { site, code: 'READS_NOTHING', isError: false },
    {
      message: `Expected ${text} to be written before it is read, but ${found}, in ${site.who}`,
      hint: () =>
        (isWritten ? check.flow.keepHint : nearestKey(check, section, key)) ?? site.guardHint ?? guardHint(text),
    },
  );
}

/** Nothing, if the key itself is right and only what is below it is not. */
function nearestKey({ values }: Check, section: string, key: string): string | undefined {
  const keys = values.keysOf(section);
  return keys.includes(key) ? undefined : nearestHint(key, keys);
}

const guardHint = (text: string): string => `If it may be absent, ask first: has(${text}).`;

function mayBeThere(
  { visible, forks, flow, contexts, values, budget }: Check,
  site: ReadSite,
  path: (string | number)[],
): boolean {
  const { node, ownCount } = site;
  if (node === null || site.isOfRun) return visible.isVisibleAtEnd(path);
  if (visible.isVisible(node, { path, ownCount })) return true;
  if (!budget.spend(flow.exits.size + flow.entries.size)) return true;
  const nests = new Set([...contexts.at(node)].flatMap(({ nest }) => nestsAround(nest)));
  return [...flow.exits, ...flow.entries].some(([writer, writes]) => {
    if (!writes.some((write) => values.provides(write, path))) return false;
    const shares = [...contexts.at(writer)].some(({ nest }) => nests.has(nest));
    return shares && (flow.mayRunLate || forks.mayRunBeside(writer, node));
  });
}

/** A branch and those around it, the run itself included. */
function nestsAround(nest: Nest | null): (Nest | null)[] {
  const nests: (Nest | null)[] = [null];
  for (let at = nest; at !== null; at = at.outer) nests.push(at);
  return nests;
}

// DF69: `_branch`, `_batch` and item variables are there inside the branches that have them.
function checkBranch({ contexts, reporter }: Check, site: ReadSite, read: Read): void {
  if (site.isOfBranch || !contexts.isComplete) return;
  const isIn = (nest: Nest): boolean => {
    if (read.root === '_branch') return true;
    return read.root === '_batch' ? nest.isSlice : nest.itemVar === read.root;
  };
  const places = site.node === null ? [] : [...contexts.at(site.node)];
  const isReached = site.node === null || places.length > 0;
  if (!isReached || places.some(({ nest }) => nestsAround(nest).some((each) => each !== null && isIn(each)))) return;
  report(
    reporter,
    { site, code: 'READS_NOTHING', isError: false },
    {
      message: `Expected ${read.root} to be read inside ${whereItIs(read.root)}, but no way leads there in one, in ${site.who}`,
      hint: read.root.startsWith('_') ? undefined : 'After its join an item variable is gone.',
    },
  );
}

function whereItIs(root: string): string {
  if (root === '_branch') return 'a branch';
  return root === '_batch' ? 'a slice of a batch' : `a branch of the foreach with the item variable ${root}`;
}

interface Finding {
  readonly site: ReadSite;
  readonly code: string;
  readonly isError: boolean;
}

function report(reporter: Reporter, { site, code, isError }: Finding, text: Parameters<Reporter['error']>[2]): void {
  if (isError) reporter.error(code, site.pointer, text);
  else reporter.warning(code, site.pointer, text);
}

/** As in an expression: state.list[0].name. */
function formatRead(root: string, keys: Read['keys']): string {
  return keys.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return /^[A-Za-z_]\w*$/.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`;
  }, root);
}
