// Dataflow updates: the news of a run of a dataflow graph, folded from its events: that it was submitted, what became
// of each node, and how it ended.
//
// Always true: submitted comes first and once; each node has one update, after those of all that it takes from that
// ran; the final one comes last.

import type { Json } from '../../base/json.ts';
import type { EncodedState } from '../../core/apply/encoded-state.ts';
import type { Event, TokenId } from '../../core/events.ts';
import type { RunOutcome } from '../../core/state.ts';
import {
  type DataflowNodeReport,
  type DataflowOrder,
  type DataflowProgress,
  type DataflowStatus,
  dataflowStatus,
  failedNode,
  reportNodes,
  skippedNode,
  trackNodes,
} from './report.ts';

export type DataflowUpdate =
  | { readonly type: 'submitted'; readonly status: 'submitted'; readonly nodes: readonly DataflowNodeReport[] }
  | { readonly type: 'node'; readonly status: 'executing'; readonly node: DataflowNodeReport }
  | { readonly type: 'final'; readonly status: DataflowStatus; readonly nodes: readonly DataflowNodeReport[] };

const outcomes: Partial<Record<Event['type'], RunOutcome>> = {
  'workflow.completed': 'completed',
  'workflow.failed': 'failed',
  'workflow.cancelled': 'cancelled',
  'workflow.timed_out': 'timed_out',
  'workflow.exhausted': 'exhausted',
};

export class DataflowUpdates {
  readonly #order: DataflowOrder;
  readonly #downstreams: ReadonlyMap<string, readonly string[]>;
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #nodes = new Map<TokenId, string>();
  readonly #outputs: Record<string, Json> = {};
  readonly #errors: Record<string, string> = {};
  /** Failed or skipped. */
  readonly #notRun = new Set<string>();

  constructor(order: DataflowOrder) {
    this.#order = order;
    this.#downstreams = reverse(order);
    this.#ranks = new Map(order.orderedNodeIds.map((id, rank) => [id, rank]));
  }

  /** DA35: submitted first, then one update per node with its outputs, error or blockers, and a final one. */
  add(event: Event): DataflowUpdate[] {
    const outcome = outcomes[event.type];
    if (outcome !== undefined) return [this.#whole('final', { isSubmitted: false, outcome })];
    if (event.type === 'workflow.started') return [this.#whole('submitted', { isSubmitted: true, outcome: null })];
    if (event.type === 'workflow.restored') return this.#restore(event.state as unknown as EncodedState); // its own making
    if (event.type === 'task.completed') return this.#complete(this.#nodes.get(event.token), event.output);
    if (event.type === 'task.failed') return this.#fail(this.#nodes.get(event.token), event.error.message);
    if (event.type === 'token.created') this.#nodes.set(event.token, event.node);
    return [];
  }

  #complete(nodeId: string | undefined, outputs: Json): DataflowUpdate[] {
    if (nodeId === undefined) return [];
    this.#outputs[nodeId] = outputs;
    return [nodeUpdate({ nodeId, status: 'completed', outputs })];
  }

  #fail(nodeId: string | undefined, error: string): DataflowUpdate[] {
    if (nodeId === undefined) return [];
    this.#errors[nodeId] = error;
    const skipped = this.#blockAfter(nodeId);
    const hasNotRun = (id: string) => this.#notRun.has(id);
    return [
      nodeUpdate(failedNode(nodeId, error)),
      ...skipped.map((id) => nodeUpdate(skippedNode(id, this.#order, hasNotRun))),
    ];
  }

  /** Everything behind a node that failed, unless it was blocked before; each after what it takes from. */
  #blockAfter(failed: string): string[] {
    const blocked = [failed];
    this.#notRun.add(failed);
    for (const id of blocked) {
      for (const next of this.#downstreams.get(id) ?? []) {
        if (this.#notRun.has(next)) continue;
        this.#notRun.add(next);
        blocked.push(next);
      }
    }
    const rankOf = (id: string) => this.#ranks.get(id) ?? 0;
    return blocked.slice(1).toSorted((left, right) => rankOf(left) - rankOf(right));
  }

  /** What the run that this one retries had come to. */
  #restore({ tokens, outputs = {}, errors = {} }: EncodedState): DataflowUpdate[] {
    for (const { id, node } of tokens) this.#nodes.set(id, node);
    const completed = Object.entries(outputs).flatMap(([id, output]) => this.#complete(id, output));
    return [...completed, ...Object.entries(errors).flatMap(([id, error]) => this.#fail(id, error))];
  }

  #whole(type: 'submitted' | 'final', progress: DataflowProgress): DataflowUpdate {
    const tracking = trackNodes(this.#order, { outputs: this.#outputs, errors: this.#errors });
    const status = dataflowStatus(progress, this.#order.orderedNodeIds, tracking);
    return { type, status, nodes: reportNodes(this.#order, tracking, status) } as DataflowUpdate; // a start is submitted
  }
}

function nodeUpdate(node: DataflowNodeReport): DataflowUpdate {
  return { type: 'node', status: 'executing', node };
}

function reverse({ upstreams }: DataflowOrder): Map<string, string[]> {
  const downstreams = new Map<string, string[]>();
  for (const [id, sources] of upstreams) {
    for (const source of sources) {
      const targets = downstreams.get(source) ?? [];
      downstreams.set(source, targets);
      targets.push(id);
    }
  }
  return downstreams;
}
