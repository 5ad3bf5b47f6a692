// Token flow: what a token definition reads and writes, and where.

import { conditionSource } from '../../expression/condition.ts';
import { findReads } from '../../expression/reads.ts';
import type { MappingSource, MergeDefinition, SynchronizationDefinition } from '../definition.ts';
import { type Draft, labelOf, type NodeDraft } from '../draft.ts';
import { listMerges } from '../merges.ts';
import type { Reporter } from '../reporter.ts';
import type { Wire, Wiring } from '../wiring.ts';
import {
  type Flow,
  type InputSite,
  type ReadSite,
  type Result,
  sourceOfPath,
  type ValueSource,
  type Write,
} from './flow.ts';
import { type KnownWork, schemasOf } from './known-schemas.ts';
import { objectOf, readOutline } from './outline.ts';
import { anything, workResult } from './results.ts';

interface Parts {
  readonly draft: Draft;
  readonly wiring: Wiring;
  readonly reporter: Reporter;
  readonly known: KnownWork;
}

export function tokenFlow(parts: Parts): Flow {
  const { draft, wiring } = parts;
  const nodes = wiring.nodes as readonly NodeDraft[]; // those of the draft
  const exits = new Map(nodes.map((node, number) => [number, exitWrites(node, number)]));
  const entries = new Map<number, Write[]>();
  for (const wire of wiring.wires) {
    const merged = mergeWrites(wire);
    if (merged.length > 0) entries.set(wire.to, [...(entries.get(wire.to) ?? []), ...merged]);
  }
  return {
    reads: [
      ...nodes.flatMap((node, number) => nodeReads(parts, node, number)),
      ...wiring.wires.flatMap((wire) => wireReads(parts, wire)),
      ...endReads(parts),
    ],
    inputs: nodes.flatMap((node) => listInputs(parts, node)),
    exits,
    entries,
    results: (number) => describeResult(nodes[number], parts.known),
    input: draft.inputSchema === undefined ? 'any' : readOutline(draft.inputSchema),
    keepHint: 'What a branch writes is kept by the "merge" of its join.',
    keepsUnjoined: false,
    mayRunLate: wiring.wires.some(leavesAlone),
  };
}

const leavesAlone = ({ transition: { synchronization } }: Wire): boolean =>
  synchronization !== undefined && !('over' in synchronization) && synchronization.onEarlyComplete === 'abandon';

const written = (target: string, value: ValueSource): Write => ({ path: target.split('.'), value });

function exitWrites({ outputMapping = {}, batch }: NodeDraft, node: number): Write[] {
  const mapped = Object.entries(outputMapping).map(([target, source]) =>
    written(target, { form: findReads(source).form, node }),
  );
  const target = batch?.merge?.target;
  return target === undefined ? mapped : [written(target, { outline: 'any' }), ...mapped];
}

/** What joins in front of a node have merged. */
function mergeWrites({ from, transition: { synchronization } }: Wire): Write[] {
  return siblingMerges(synchronization).map((merge) => written(merge.target, mergedValue(merge, from)));
}

const siblingMerges = (synchronization: SynchronizationDefinition | undefined): readonly MergeDefinition[] =>
  synchronization === undefined || 'over' in synchronization ? [] : listMerges(synchronization);

function mergedValue({ strategy, source, existing = 'replace', include }: MergeDefinition, node: number): ValueSource {
  const isList = strategy === 'append' || strategy === 'collect';
  const isOfBranches = source !== undefined && existing === 'replace' && include === undefined;
  if (!isList || !isOfBranches) return { outline: 'any' };
  return { form: { type: 'list', items: [findReads(source).form] }, node };
}

const before = { ownCount: 0, hasResult: false, isOfBranch: false, isTolerant: false };

/** Fields of a wait that are expressions; the others are words. */
const waitExpressions: ReadonlySet<string> = new Set(['seconds', 'until', 'correlation']);

function nodeReads({ reporter: { origins } }: Parts, node: NodeDraft, number: number): ReadSite[] {
  const { inputMapping, outputMapping, wait, batch } = node;
  const at = { ...before, node: number };
  const mappings = [
    ...mappingReads(inputMapping, { ...at, isTolerant: true, who: `the input mapping of node "${node.id}"` }, origins),
    ...mappingReads(
      outputMapping,
      { ...at, isTolerant: true, hasResult: true, who: `the output mapping of node "${node.id}"` },
      origins,
    ),
  ];
  const waits = Object.entries(wait ?? {}).flatMap(([field, source]): ReadSite[] => {
    if (typeof source !== 'string' || !waitExpressions.has(field) || wait === undefined) return [];
    return [{ ...at, source, pointer: origins.of(wait, field), who: `the wait of node "${node.id}"` }];
  });
  const who = `the summary of node "${node.id}"`;
  const summary = summaryReads(node, { ...at, hasResult: true, isTolerant: true, isOfRun: true, who }, origins);
  if (batch === undefined) return [...mappings, ...waits, ...summary];
  const [root = '', ...keys] = batch.items.split('.');
  const items = {
    ...at,
    source: sourceOfPath(root, keys),
    pointer: origins.of(batch, 'items'),
    who: `the batch of node "${node.id}"`,
  };
  return [...mappings, ...waits, ...summary, items];
}

function summaryReads(
  owner: Draft | NodeDraft,
  site: Omit<ReadSite, 'source' | 'pointer'>,
  origins: Reporter['origins'],
): ReadSite[] {
  const { summary } = owner;
  return summary === undefined ? [] : [{ ...site, source: summary, pointer: origins.of(owner, 'summary') }];
}

function mappingReads(
  mapping: MappingSource | undefined,
  site: Omit<ReadSite, 'source' | 'pointer'>,
  origins: Reporter['origins'],
): ReadSite[] {
  if (mapping === undefined) return [];
  return Object.entries(mapping).map(([target, source]) => ({ ...site, source, pointer: origins.of(mapping, target) }));
}

function wireReads({ reporter: { origins } }: Parts, { from, transition }: Wire): ReadSite[] {
  const { condition, foreach, synchronization, on } = transition;
  const at = { ...before, node: from, ownCount: Infinity };
  const who = labelOf(transition);
  const sites: ReadSite[] = [];
  if (condition !== undefined && typeof condition !== 'boolean') {
    const made = conditionSource(condition);
    const pointer = origins.of(transition, 'condition');
    const hasResult = on === undefined || on === 'success';
    if ('source' in made)
      sites.push({ ...at, hasResult, source: made.source, pointer, who: `the condition of ${who}` });
  }
  if (foreach !== undefined)
    sites.push({
      ...at,
      source: foreach.collection,
      pointer: origins.of(foreach, 'collection'),
      who: `the collection of ${who}`,
    });
  for (const merge of siblingMerges(synchronization)) {
    if (merge.source === undefined) continue;
    const pointer = origins.of(merge, 'source');
    const of = `the merge of ${who}`;
    sites.push({ ...at, isOfBranch: true, isTolerant: true, source: merge.source, pointer, who: of });
  }
  return sites;
}

function endReads({ draft, reporter: { origins } }: Parts): ReadSite[] {
  const site = { ...before, node: null, isTolerant: true };
  return [
    ...mappingReads(draft.outputMapping, { ...site, who: 'the output mapping' }, origins),
    ...summaryReads(draft, { ...site, who: 'the summary' }, origins),
  ];
}

function listInputs({ known, reporter: { origins } }: Parts, node: NodeDraft): InputSite[] {
  const { of = '', input: schema } = schemasOf(node, known) ?? {};
  if (schema === undefined) return [];
  const { inputMapping = {} } = node;
  const entries = Object.entries(inputMapping).map(([target, source]) => ({
    keys: target.split('.'),
    form: findReads(source).form,
    pointer: origins.of(inputMapping, target),
  }));
  const pointer = node.inputMapping === undefined ? origins.of(node) : origins.of(node, 'inputMapping');
  return [{ schema, of, entries, pointer, who: `the input mapping of node "${node.id}"` }];
}

/** A node without work has an empty result (rule ND2), and so has a wait for time. A failure that is caught is one too. */
function describeResult(node: NodeDraft | undefined, known: KnownWork): Result {
  if (node === undefined || node.batch !== undefined) return anything;
  if (typeof node.workflow === 'object' && node.workflow.onFailure === 'catch') return anything;
  if (node.action !== undefined || node.workflow !== undefined) return workResult(node, known);
  if (node.input !== undefined) {
    const schema = node.input === true ? undefined : node.input.schema;
    return schema === undefined
      ? anything
      : { outline: readOutline(schema), by: `the schema of the prompt of node "${node.id}"`, isOwnSchema: true };
  }
  if (node.wait !== undefined && 'event' in node.wait) return anything;
  return { outline: objectOf(new Map()), by: `node "${node.id}", which has no result`, isOwnSchema: false };
}
