// What must be true of values: I16 (merged values), I17 (a branch writes to itself alone), I25 (what is written fits its
// schema), I38 (the output is what its mapping gives).

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { EventOf } from '../../packages/heddle/src/core/events.ts';
import type { BatchMergeDefinition } from '../../packages/heddle/src/definition/definition.ts';
import { checkWrites } from './check-mappings.ts';
import type { BranchFact, GroupFact, TokenFact } from './facts.ts';
import type { RunFacts } from './run-facts.ts';
import { type BranchEnd, branchValue, contextIn, evaluate, nameInScope, type Viewpoint, writtenAt } from './scope.ts';
import {
  type Contribution,
  extend,
  isEqual,
  isSame,
  keysOf,
  layOver,
  merge,
  type Overlay,
  readAt,
  type Writing,
  writeAt,
  writeContext,
  writeOver,
} from './values.ts';

// ------------------------------------------------------------------------------------------------------------ writes

/** Who wrote is told by the next event. */
export function updateContext(facts: RunFacts, { branch: ref, writes }: EventOf<'context.updated'>): void {
  const branch = facts.branch(ref);
  facts.touched.written = { branch, writes };
  const { next } = facts.touched;
  const isOfToken = next?.type === 'token.completed' || next?.type === 'workflow.result_set';
  const token = isOfToken ? facts.token(next.token) : null;
  if (token?.state === 'over' || token?.state === 'ready') checkWrites(facts, token, writes);
  write(facts, branch, writes);
}

function write(facts: RunFacts, branch: BranchFact, writes: readonly Writing[]): void {
  if (branch.group === null) {
    const { state, output } = writeContext(facts.context, writes);
    facts.context = { state, output };
  } else {
    branch.writes ??= new Map();
    writeOver(branch.writes, writes);
  }
  checkState(facts, branch, writes);
}

/** I25: what is written below `state` fits the schema of the state, key by key. */
function checkState(facts: RunFacts, branch: BranchFact, writes: readonly Writing[]): void {
  if (facts.drawing.definition.stateSchema === undefined) return;
  const check = facts.drawing.schema('stateSchema');
  const { state } = contextIn(facts, branch);
  for (const [target] of writes) {
    const [section, key = ''] = keysOf(target);
    if (section !== 'state' || !Object.hasOwn(state, key)) continue;
    const [problem] = check?.({ [key]: state[key] as Json }) ?? [];
    if (problem) facts.broken('I25', `Expected ${target} to fit the state schema, but: ${problem.message}`);
  }
}

/**
 * I17: only a node that is done writes, and only where it stands; or a group that closes unjoined, where the last of
 * its branches counts.
 */
export function checkWriter(facts: RunFacts, event: { readonly type: string }): void {
  const { written } = facts.touched;
  if (written === null) return;
  facts.touched.written = null;
  if (event.type === 'token.completed' || event.type === 'workflow.result_set') {
    const { token } = event as EventOf<'token.completed' | 'workflow.result_set'>;
    if (facts.token(token).branch === written.branch) return;
  }
  if (event.type === 'group.closed') {
    const { group: id } = event as EventOf<'group.closed'>;
    const { last, parent, hasFired } = facts.group(id);
    if (last && parent === written.branch && !hasFired && isSame(written.writes, listOf(last))) return;
  }
  facts.broken('I17', `Expected what was written to be of a node in that branch, but ${event.type} follows`);
}

export function setResult(facts: RunFacts, { token: id, output }: EventOf<'workflow.result_set'>): void {
  const token = facts.token(id);
  if (token.node.source.resultEdits === undefined)
    facts.broken('I38', `Expected node ${token.node.id} to make no output of the run, but it did`);
  facts.result = output;
  facts.touched.written = { branch: token.branch, writes: [] }; // the token that is done follows
}

// ------------------------------------------------------------------------------------------------------------ merges

type Merging = BatchMergeDefinition;

/** I16: what the merge of the counted branches comes to, in the order of their index, and what that writes. */
export function mergedIn(
  facts: RunFacts,
  group: GroupFact,
  merging: Merging,
  before: readonly Writing[],
): { value: Json | undefined; writes: readonly Writing[] } {
  const { strategy, target, include = 'arrived' } = merging;
  const branches = [...group.branches.values()].toSorted(byIndex).flatMap((branch) => {
    const end = endOf(branch);
    return end?.status === 'completed' || (end !== null && include === 'settled') ? [{ branch, end }] : [];
  });
  const given = branches.flatMap(({ branch, end }): Contribution[] => {
    const value = contributionOf(facts, branch, end, merging);
    return value === undefined ? [] : [{ index: branch.index, value }];
  });
  const isNobody = branches.length === 0 && group.batch === null;
  if (given.length === 0 && strategy === 'output_merge' && !isNobody) return { value: undefined, writes: [] };
  const value = merge(strategy, given);
  return { value, writes: target === undefined ? [] : mergeWrites(facts, group, merging, { given, value, before }) };
}

/** MG16: it came (a slice: it is done), it failed, or it ended elsewhere; null if it has not settled. */
function endOf({ group, arrival, hasEnded, hasFailed, error }: BranchFact): BranchEnd | null {
  if (hasFailed) return { status: 'failed', ...(error === null ? {} : { error: kept(error) }) };
  if (arrival !== null || (hasEnded && group?.batch !== null)) return { status: 'completed' };
  return hasEnded ? { status: 'ended' } : null;
}

/** BR5: what a group keeps of a failure that it tolerates. */
function kept({ code, message, nodeId, attempts }: Failure): JsonObject {
  const text = message.length > 500 ? `${message.slice(0, 499)}…` : message;
  return { code, message: text, ...(nodeId === undefined ? {} : { nodeId }), ...(attempts ? { attempts } : {}) };
}

function contributionOf(
  facts: RunFacts,
  branch: BranchFact,
  end: BranchEnd,
  { source, strategy, include }: Merging,
): Json | undefined {
  if (source === undefined && include === 'settled') {
    const { total: _, fanOutNodeId: _node, parent: _parent, ...report } = branchValue({ branch, end }) ?? {};
    return report;
  }
  const text = source ?? '_branch.output';
  const isOfWrites = strategy === 'output_merge' && /^(state|output)(\.[A-Za-z_]\w*)+$/.test(text);
  return isOfWrites ? writtenAt(branch, text) : sourceIn(facts, { branch, end }, text);
}

function sourceIn(facts: RunFacts, from: Viewpoint, source: string): Json | undefined {
  const evaluated = evaluate(facts, from, source);
  if ('failure' in evaluated)
    facts.broken('I16', `Expected branch ${from.branch.index} to have something to merge, but ${evaluated.failure}`);
  return evaluated.value;
}

/** What merging writes in the branch that fanned out, after other merges have written there. */
function mergeWrites(
  facts: RunFacts,
  group: GroupFact,
  { target = '', strategy, existing = strategy === 'output_merge' ? 'overlay' : 'replace' }: Merging,
  { given, value, before }: { given: readonly Contribution[]; value: Json; before: readonly Writing[] },
): readonly Writing[] {
  if (existing === 'replace') return [[target, value]];
  const path = keysOf(target);
  const { state, output } = writeContext(contextIn(facts, group.parent), before);
  const below = readAt({ state, output }, path);
  if (existing === 'overlay')
    return layOver(path, below, value).map(([keys, leaf]) => [keys.map(asKey).join('.'), leaf]);
  if (below === undefined || below === null) return [[target, value]];
  return given.length === 0 ? [] : [[target, extend(strategy, below, given)]];
}

const asKey = (key: string): string => key.replaceAll('\u0001', '\u0001s').replaceAll('.', '\u0001d');

function byIndex(one: BranchFact, other: BranchFact): number {
  return one.index - other.index;
}

/** After a join or a batch that merges something, that is the next event; at any other place it is none. */
export function checkMergeFollows(facts: RunFacts, event: { readonly type: string }): void {
  const { merge: expected } = facts.touched;
  if ((expected === null) === (event.type !== 'branches.merged')) return;
  if (expected === null) facts.broken('I16', 'Expected nothing to be merged, but something was');
  facts.broken('I16', `Expected what the branches of group ${expected.group.id} wrote to be merged, but it was not`);
}

export function mergeBranches(facts: RunFacts, event: EventOf<'branches.merged'>): void {
  const { merge: expected } = facts.touched;
  facts.touched.merge = null;
  if (expected === null || expected.group.id !== event.group)
    facts.broken('I16', `Expected the branches of group ${event.group} not to be merged, but they were`);
  const { group, writes } = expected;
  if (!isSame(event.writes, writes))
    facts.broken('I16', `Expected the merge ${JSON.stringify(writes)}, but found ${JSON.stringify(event.writes)}`);
  const parent = facts.branch(event.branch);
  if (parent !== group.parent)
    facts.broken('I16', `Expected the merge of group ${group.id} in the branch that fanned out, but it was elsewhere`);
  write(facts, parent, event.writes);
}

const listOf = (overlay: Overlay): Writing[] =>
  [...overlay].map(([target, value]) => (value === undefined ? [target] : [target, value]));

// ------------------------------------------------------------------------------------------------------------ output

/** I38: the output is what the definition makes of the state, and fits its schema. */
export function checkOutput(facts: RunFacts, output: Json): void {
  const expected = expectedOutput(facts);
  if (expected !== undefined && !isEqual(output, expected))
    facts.broken('I38', `Expected the output ${JSON.stringify(expected)}, but found ${JSON.stringify(output)}`);
  const [problem] = facts.drawing.schema('outputSchema')?.(output) ?? [];
  if (problem) facts.broken('I38', `Expected the output to fit its schema, but: ${problem.message}`);
}

/** Undefined where it is made in a way that only dialects of the future have. */
function expectedOutput(facts: RunFacts): Json | undefined {
  if (facts.result !== undefined) return facts.result;
  const { outputMapping, output } = facts.drawing.definition;
  if (outputMapping) return mappedOutput(facts, outputMapping);
  if (!output) return facts.context.output;
  if (!('path' in output)) return undefined;
  const [root = '', ...path] = output.path;
  return readAt(nameInScope(facts, { branch: facts.root }, root), path) ?? {};
}

function mappedOutput(facts: RunFacts, mapping: Readonly<Record<string, string>>): Json {
  let made: Json = {};
  for (const [target, source] of Object.entries(mapping)) {
    const evaluated = evaluate(facts, { branch: facts.root }, source);
    if ('failure' in evaluated)
      facts.broken('I38', `Expected ${target} of the output to be mapped, but ${evaluated.failure}`);
    if (evaluated.value !== undefined) made = writeAt(made, target.split('.'), evaluated.value);
  }
  return made;
}

/** What the work of a token came to; the newest of a branch counts if no mapping wrote in it. */
export function keepResult(token: TokenFact, output: Json): void {
  token.result = output;
  if (token.branch.group !== null) token.branch.raw = output;
}

/** I38: who failed, where and why is named. */
export function checkFailure(facts: RunFacts, error: EventOf<'workflow.failed'>['error']): void {
  const { code, message, nodeId, limit } = error;
  if (!/^[A-Z][A-Z0-9_]*$/.test(code) || message === '')
    facts.broken('I38', `Expected a failure to have a code and a message, but found ${JSON.stringify(error)}`);
  if (nodeId !== undefined) {
    if (!facts.drawing.nodes.has(nodeId)) facts.broken('I38', `Expected node ${nodeId} to be one, but it is none`);
  } else if (limit === undefined && code !== 'LIMIT_EXCEEDED' && facts.touched.before === 'tokens.cancelled')
    facts.broken('I38', `Expected a failure to name its node, but ${code} names none`);
}
