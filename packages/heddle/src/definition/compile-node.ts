// Compile node: one node of a checked definition, with its defaults filled in.

import { assert } from '../base/assert.ts';
import type { Compiler } from './compile-expressions.ts';
import type {
  EventWaitDefinition,
  PromptDefinition,
  PromptText,
  RetryDefinition,
  TransitionDefinition,
  WaitDefinition,
  WorkflowCall,
} from './definition.ts';
import type { GraphNode, NodeWork, RetryPolicy } from './graph.ts';
import type { LoweredBatch, LoweredNode } from './lowered.ts';
import { compileMerge } from './merges.ts';
import { compileCheck } from './schema.ts';

interface NodeParts extends Pick<GraphNode, 'onSuccess' | 'onFailure' | 'onSlice'> {
  readonly compiler: Compiler;
  /** What one execution of an action costs, where the node does not say. */
  readonly costOf: (action: string) => number;
  readonly sliceSettings: SliceSettings;
}

/** What the transitions for slices say of failures. */
export type SliceSettings = Pick<TransitionDefinition, 'onBranchFailure' | 'maxFailures'>;

export function compileNode(
  node: LoweredNode,
  { compiler, costOf, sliceSettings, onSuccess, onFailure, onSlice }: NodeParts,
): GraphNode {
  const work = compileWork(node, compiler, sliceSettings);
  return {
    id: node.id,
    work,
    inputMapping: compiler.inputMapping(node.inputMapping),
    outputMapping: compiler.outputMapping(node.outputMapping),
    retry: node.retry === undefined ? null : compileRetry(node.retry),
    timeoutMs: node.timeoutMs ?? null,
    onSuccess,
    onFailure,
    onSlice,
    summary: compiler.summary(node.summary, compiler.scopes.visiting),
    cost: node.cost ?? (work.type === 'action' ? costOf(work.name) : 0),
    inputEdits: compiler.edits(node.inputEdits),
    edits: compiler.edits(node.edits),
    resultEdits: compiler.edits(node.resultEdits),
  };
}

function compileWork(node: LoweredNode, compiler: Compiler, sliceSettings: SliceSettings): NodeWork {
  const { id, action, workflow, wait, input, batch } = node;
  if (action !== undefined) {
    return typeof action === 'string'
      ? { type: 'action', name: action, version: null }
      : { type: 'action', name: action.name, version: action.version ?? null };
  }
  if (workflow !== undefined) return compileCall(typeof workflow === 'string' ? { id: workflow } : workflow);
  if (wait !== undefined && 'event' in wait) return compileEventWait(wait, compiler);
  if (wait !== undefined) return compileWait(wait, { nodeId: id, compiler });
  if (input !== undefined) return compilePrompt(input === true ? {} : input, compiler);
  if (batch !== undefined) return compileBatch(batch, compiler, sliceSettings);
  return { type: 'pass' };
}

function compileCall(call: WorkflowCall): NodeWork {
  return {
    type: 'workflow',
    id: call.id,
    version: call.version ?? null,
    onFailure: call.onFailure ?? 'propagate',
    timeoutMs: call.timeoutMs ?? null,
    inheritArtifacts: call.inheritArtifacts ?? false,
  };
}

function compileEventWait(wait: EventWaitDefinition, compiler: Compiler): NodeWork {
  const { event, correlation, timeoutMs, since = 'start', once = false } = wait;
  return {
    type: 'event',
    event,
    correlation: correlation === undefined ? null : compiler.expression(correlation, compiler.scopes.reading),
    timeoutMs: timeoutMs ?? null,
    since,
    once,
  };
}

function compilePrompt({ title, description, schema, deadlineMs }: PromptDefinition, compiler: Compiler): NodeWork {
  const compileText = (text: PromptText | undefined) =>
    typeof text === 'object' ? compiler.expression(text.expression, compiler.scopes.reading) : (text ?? null);
  return {
    type: 'input',
    title: compileText(title),
    description: compileText(description),
    schema: schema ?? null,
    check: compileCheck(schema),
    deadlineMs: deadlineMs ?? null,
  };
}

function compileBatch(
  { items, label = items, collection, itemVar, batchSize = 0, parallelBatches = 1, merge }: LoweredBatch,
  compiler: Compiler,
  { onBranchFailure, maxFailures }: SliceSettings,
): NodeWork {
  return {
    type: 'batch',
    items,
    label,
    path: items.split('.'),
    collection: collection === undefined ? null : compiler.expression(collection, compiler.scopes.editing),
    itemVar: itemVar ?? null,
    batchSize,
    parallelBatches,
    merge: merge === undefined ? null : compileMerge(merge, compiler),
    tolerateFailures: onBranchFailure === 'end',
    maxFailures: maxFailures ?? null,
  };
}

type TimedWait = Exclude<WaitDefinition, EventWaitDefinition>;

function compileWait(wait: TimedWait, { nodeId, compiler }: { nodeId: string; compiler: Compiler }): NodeWork {
  const kind = 'seconds' in wait ? 'seconds' : 'until';
  const value = 'seconds' in wait ? wait.seconds : wait.until;
  assert(value !== undefined, `Expected a checked wait in node "${nodeId}", but it has neither seconds nor until`);
  return {
    type: 'wait',
    kind,
    value: typeof value === 'number' ? value : compiler.expression(value, compiler.scopes.reading),
  };
}

// DF48: without its own words a retry policy waits not at all; a growing delay begins at one second and grows to
// five minutes.
export function compileRetry(retry: RetryDefinition): RetryPolicy {
  const backoff = retry.backoff ?? 'none';
  const initialDelayMs = retry.initialDelayMs ?? (backoff === 'none' ? 0 : 1_000);
  return {
    maxAttempts: retry.maxAttempts,
    backoff,
    initialDelayMs,
    maxDelayMs: retry.maxDelayMs ?? Math.max(initialDelayMs, 300_000),
    jitter: retry.jitter ?? 0,
    retryableErrors: retry.retryableErrors ?? null,
  };
}
