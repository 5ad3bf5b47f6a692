// Thread check: what nodes and connectors of a thread definition must be together. Rules TH11 to TH14.

import { nearestHint } from '../../base/nearest.ts';
import { checkBuiltIn } from '../../definition/built-in-actions.ts';
import { checkUnique } from '../../definition/check-ids.ts';
import { checkRetry } from '../../definition/check-retry.ts';
import { pointerTo } from '../../definition/origins.ts';
import type { Reporter } from '../../definition/reporter.ts';
import { listNames } from '../../definition/shape.ts';
import { type Connector, groupConnectors, isBlank, type ThreadDraft, type ThreadNode } from './thread.ts';

/** What was written of the nodes, whether it fits or not. */
export interface NodesWritten {
  /** Null if a node has none: what seems unknown may be that one. */
  readonly idsWritten: ReadonlySet<string> | null;
  readonly allNodesRead: boolean;
}

interface Check extends NodesWritten {
  readonly draft: ThreadDraft;
  readonly reporter: Reporter;
  /** By id; of two with the same the first. */
  readonly nodes: ReadonlyMap<string, ThreadNode>;
}

export function checkThread(draft: ThreadDraft, options: NodesWritten & { readonly reporter: Reporter }): void {
  const nodes = new Map(draft.nodes.toReversed().map((node) => [node.id, node]));
  const check: Check = { draft, nodes, ...options };
  checkUnique(draft.nodes, 'node', check.reporter);
  checkStarts(check);
  for (const node of draft.nodes) checkNames(check, node);
  for (const node of draft.nodes) if (node.type === 'action') checkAction(check, node);
  for (const connector of draft.connectors) checkConnector(check, connector);
  checkFollowers(check);
  for (const node of draft.nodes) if (node.type === 'switch') checkDefault(check, node);
  warnOfUnreachable(check);
}

// TH11: a workflow has exactly one start.
function checkStarts({ draft, reporter, allNodesRead }: Check): void {
  const [first, ...others] = draft.nodes.filter(({ type }) => type === 'start');
  // A start that was left out has its own problem.
  if (first === undefined && allNodesRead) {
    const message = 'Expected exactly one node of type "start", but there is none';
    reporter.error('START_MISSING', reporter.origins.of(draft, 'nodes'), { message });
  }
  for (const other of others) {
    const message = `Expected exactly one node of type "start", but "${other.id}" is one too, beside "${first?.id}"`;
    reporter.error('START_REPEATED', reporter.origins.of(other), { message });
  }
}

/** One without a name, any that connectors name, or these. */
type Outputs = 'one' | 'any' | readonly string[];

function outputsOf(node: ThreadNode): Outputs {
  if (node.type === 'switch') return node.entries.map(({ name }) => name);
  if (node.type === 'batch') return ['process', 'continue'];
  return node.type === 'fanOut' ? (node.outputs ?? 'any') : 'one';
}

function checkNames({ reporter }: Check, node: ThreadNode): void {
  const names = outputsOf(node);
  if (typeof names === 'string') return;
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (seen.has(name)) {
      const message = `Expected the outputs of node "${node.id}" to have different names, but "${name}" is there twice`;
      reporter.error('DUPLICATE_ID', outputPointer(node, index, reporter), { message });
    }
    seen.add(name);
  }
}

/** Where the name of an output stands. */
function outputPointer(node: ThreadNode, index: number, { origins }: Reporter): string {
  const entry = node.type === 'switch' ? node.entries[index] : undefined;
  return entry === undefined ? pointerTo(origins.of(node, 'outputs'), index) : origins.of(entry, 'name');
}

function checkAction({ reporter }: Check, node: Extract<ThreadNode, { type: 'action' }>): void {
  const { action } = node;
  const [name, pointer] =
    typeof action === 'object'
      ? [action.name, reporter.origins.of(action, 'name')]
      : [action, reporter.origins.of(node, 'action')];
  checkBuiltIn({ name, pointer, nodeId: node.id }, reporter);
  checkRetry({ nodeId: node.id, action: name, retry: node.retry, failCode: undefined }, reporter);
}

// TH12: a connector leads from an output of a node to a node, never out of an end nor into a start.
function checkConnector(check: Check, connector: Connector): void {
  const { reporter, nodes } = check;
  for (const end of ['from', 'to'] as const) {
    if (check.idsWritten?.has(connector[end]) === false) reportUnknownNode(check, connector, end);
  }
  const [from, to] = [nodes.get(connector.from), nodes.get(connector.to)];
  if (to?.type === 'start') {
    const message = `Expected nothing to lead into the start "${to.id}", but ${labelOf(connector)} does`;
    reporter.error('NOT_ALLOWED', reporter.origins.of(connector, 'to'), { message });
  }
  if (from?.type === 'end') {
    const message = `Expected nothing to lead out of the end "${from.id}", but ${labelOf(connector)} does`;
    reporter.error('NOT_ALLOWED', reporter.origins.of(connector, 'from'), { message });
  } else if (from !== undefined) checkOutput(check, connector, from);
}

function reportUnknownNode({ idsWritten, reporter }: Check, connector: Connector, end: 'from' | 'to'): void {
  reporter.error('UNKNOWN_NODE', reporter.origins.of(connector, end), {
    message: `Expected "${end}" of ${labelOf(connector)} to name a node, but there is no "${connector[end]}"`,
    hint: () => nearestHint(connector[end], idsWritten ?? []),
  });
}

function checkOutput({ reporter }: Check, connector: Connector, from: ThreadNode): void {
  const { output } = connector;
  const outputs = outputsOf(from);
  if (isOneOf(outputs, output)) return;
  const found = output === undefined ? 'it names none' : `found "${output}"`;
  reporter.error('UNKNOWN_OUTPUT', reporter.origins.of(connector, output === undefined ? undefined : 'output'), {
    message: `Expected ${labelOf(connector)} to name ${describeOutputs(outputs)} of node "${from.id}", but ${found}`,
    hint: () => (output === undefined || typeof outputs === 'string' ? undefined : nearestHint(output, outputs)),
  });
}

function isOneOf(outputs: Outputs, output: string | undefined): boolean {
  if (outputs === 'one') return output === undefined;
  return output !== undefined && (outputs === 'any' || outputs.includes(output));
}

function describeOutputs(outputs: Outputs): string {
  if (outputs === 'one') return 'no output, since there is only one,';
  return outputs === 'any' ? 'an output' : `an output (${listNames(outputs)})`;
}

// TH13: an output has one follower.
function checkFollowers({ draft, reporter }: Check): void {
  const followers = new Map<string, Connector>();
  for (const connector of draft.connectors) {
    const key = keyOf(connector.from, connector.output);
    const earlier = followers.get(key);
    followers.set(key, earlier ?? connector);
    if (earlier === undefined) continue;
    const what = connector.output === undefined ? '' : ` at output "${connector.output}"`;
    reporter.error('DUPLICATE_CONNECTOR', reporter.origins.of(connector), {
      message: `Expected one connector to leave node "${connector.from}"${what}, but it leads to "${earlier.to}" and to "${connector.to}"`,
      hint: 'Use a node of type "fanOut" to go several ways at once.',
    });
  }
}

// TH14: the last entry of a switch, its default, is connected.
function checkDefault({ draft, reporter }: Check, node: Extract<ThreadNode, { type: 'switch' }>): void {
  const last = node.entries.at(-1);
  if (last === undefined) return;
  const isConnected = draft.connectors.some(({ from, output }) => from === node.id && output === last.name);
  if (!isConnected) {
    const message = `Expected the last entry of switch "${node.id}", its default "${last.name}", to be connected, but no connector leaves it`;
    reporter.error('DEFAULT_UNCONNECTED', reporter.origins.of(last), { message });
  }
  if (isBlank(last)) return;
  const message = `Expected the last entry of switch "${node.id}" to have no expression, since it is the default, but it has one, which is not looked at`;
  reporter.warning('NO_EFFECT', reporter.origins.of(last, 'expression'), { message });
}

function warnOfUnreachable({ draft, reporter }: Check): void {
  const start = draft.nodes.find(({ type }) => type === 'start');
  if (start === undefined) return;
  const next = groupConnectors(draft.connectors);
  const reached = new Set([start.id]);
  for (const id of reached) for (const { to } of next.get(id) ?? []) reached.add(to);
  for (const node of draft.nodes) {
    if (reached.has(node.id)) continue;
    const message = `Expected a way from "${start.id}" to node "${node.id}", but there is none`;
    reporter.warning('UNREACHABLE_NODE', reporter.origins.of(node), { message });
  }
}

const keyOf = (from: string, output: string | undefined): string => JSON.stringify([from, output ?? null]);

const labelOf = ({ from, output, to }: Connector): string =>
  `connector "${from}${output === undefined ? '' : `:${output}`}->${to}"`;
