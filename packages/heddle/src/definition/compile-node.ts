// Compile node: one node of a checked definition, with its defaults filled in.

import { assert } from '../base/assert.ts';
import type { Compiler } from './compile-expressions.ts';
import type { NodeDefinition, RetryDefinition, WaitDefinition, WorkflowCall } from './definition.ts';
import type { GraphNode, NodeWork, RetryPolicy, Tier } from './graph.ts';

interface NodeParts {
  readonly compiler: Compiler;
  readonly onSuccess: readonly Tier[];
  readonly onFailure: readonly Tier[];
}

export function compileNode(node: NodeDefinition, { compiler, onSuccess, onFailure }: NodeParts): GraphNode {
  return {
    id: node.id,
    work: compileWork(node, compiler),
    inputMapping: compiler.inputMapping(node.inputMapping),
    outputMapping: compiler.outputMapping(node.outputMapping),
    retry: node.retry === undefined ? null : compileRetry(node.retry),
    timeoutMs: node.timeoutMs ?? null,
    onSuccess,
    onFailure,
  };
}

function compileWork({ id, action, workflow, wait }: NodeDefinition, compiler: Compiler): NodeWork {
  if (action !== undefined) {
    return typeof action === 'string'
      ? { type: 'action', name: action, version: null }
      : { type: 'action', name: action.name, version: action.version ?? null };
  }
  if (workflow !== undefined) return compileCall(typeof workflow === 'string' ? { id: workflow } : workflow);
  if (wait !== undefined) return compileWait(wait, { nodeId: id, compiler });
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

function compileWait(wait: WaitDefinition, { nodeId, compiler }: { nodeId: string; compiler: Compiler }): NodeWork {
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
