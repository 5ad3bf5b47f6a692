// Dataflow oracle: what must have become of every node of a graph, told by going back from it to the nodes that it takes
// from. It is given the graph, the run's input, and how tasks ended; all else follows.
//
// Rules: DA1, DA2, DA22, DA25 to DA28, DA30, EJ4, EJ8.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { RunRecord } from '../workload.ts';
import type { GraphEdge, GraphIndex, GraphNode } from './dataflow-graph.ts';
import { Findings } from './findings.ts';
import { checkHandOuts } from './hand-outs.ts';
import { Journal, type Visit } from './journal.ts';
import { checkEnding } from './run-ending.ts';
import { judgeTask, type Verdict } from './task-verdict.ts';
import { type Bag, digest, isBag, isSame, show } from './values.ts';

/** What a node makes of its inputs: a value that tells of all of them, and another that is there only sometimes. */
export function computeOutputs(id: string, inputs: Json): JsonObject {
  const number = digest(inputs, digest(id));
  const values: readonly Json[] = [number, { of: id, number }, [number, id], { $number: 'NaN' }, null];
  const x = values[number % 11] ?? number;
  return number % 3 === 0 ? { x } : { x, y: { of: id, number } };
}

/** What became of a node. `row`: when that was settled. */
type Fate =
  | { readonly type: 'completed'; readonly outputs: Json; readonly row: number }
  | { readonly type: 'failed'; readonly message: string; readonly row: number }
  | { readonly type: 'skipped' | 'open'; readonly row: number };

/** EJ8: as soon as the first of its sources will never complete. */
function skippedBy(blocking: readonly Fate[]): Fate {
  return { type: 'skipped', row: Math.min(...blocking.map(({ row }) => row)) };
}

export function checkDataflow(graph: GraphIndex, run: RunRecord): string | null {
  const oracle = new Oracle(graph, run);
  oracle.check();
  return oracle.findings.tell();
}

class Oracle {
  readonly findings = new Findings();
  readonly #graph: GraphIndex;
  readonly #run: RunRecord;
  readonly #journal: Journal;
  readonly #fates = new Map<string, Fate>();

  constructor(graph: GraphIndex, run: RunRecord) {
    this.#graph = graph;
    this.#run = run;
    this.#journal = new Journal(run.events);
  }

  check(): void {
    const { findings } = this;
    for (const node of this.#graph.byId.values()) this.#fateOf(node);
    this.#checkVisits();
    this.#checkEnd();
    const isTask = (node: string): boolean => this.#graph.byId.has(node);
    checkHandOuts(this.#run.events, { isTask, isOneAtATime: false }, findings);
  }

  #sourcesOf(id: string): readonly string[] {
    return this.#graph.sources.get(id) ?? [];
  }

  #fateOf(node: GraphNode): Fate {
    const known = this.#fates.get(node.id);
    if (known) return known;
    // Every end of an edge is a node.
    const sources = this.#sourcesOf(node.id).map((id) => this.#fateOf(this.#graph.byId.get(id) as GraphNode));
    const blocking = sources.filter(({ type }) => type === 'failed' || type === 'skipped');
    const isDue = sources.every(({ type }) => type === 'completed');
    const row = Math.max(this.#run.events[0]?.seq ?? 0, ...sources.map((source) => source.row));
    const fate = isDue
      ? this.#visit(node, row)
      : blocking.length > 0
        ? skippedBy(blocking)
        : { type: 'open' as const, row };
    this.#fates.set(node.id, fate);
    return fate;
  }

  /** The node is due since `row`: it must have been visited there, once, with what its ports say. */
  #visit(node: GraphNode, row: number): Fate {
    const visits = this.#journal.at(node.id).filter(({ isArrival }) => !isArrival);
    const [visit] = visits;
    this.findings.expect(visits.length === 1 && visit?.row === row, () => {
      return `Expected node ${node.id} to begin once, in row ${row}, but it began in rows ${show(visits.map((each) => each.row))}`;
    });
    if (!visit) return { type: 'open', row };
    visit.isTaken = true;
    const input = this.#inputsOf(node);
    const output = node.type === 'work' ? computeOutputs(node.id, input) : this.#run.input;
    return this.#conclude(node, visit, judgeTask(taskOf(node), visit, { input, output }, this.findings));
  }

  #conclude(node: GraphNode, visit: Visit, verdict: Verdict): Fate {
    const row = visit.endRow;
    if (verdict.type === 'open') return { type: 'open', row };
    if (verdict.type === 'failed') {
      const { code, message } = verdict.error;
      const isLost = code === 'TASK_LOST' || code === 'TASK_TIMEOUT';
      const known = { 'core.input': null, work: null, nobody: 'ACTION_NOT_FOUND', ghost: 'NODE_NOT_FOUND' }[node.type];
      this.findings.expect(known === null || code === known || isLost, () => {
        return `Expected node ${node.id} to fail with ${known}, but it failed with ${show(verdict.error)}`;
      });
      return { type: 'failed', message, row };
    }
    this.findings.expect(node.type !== 'nobody' && node.type !== 'ghost', () => {
      return `Expected node ${node.id} (${node.type}) to fail, but it put out ${show(verdict.output)}`;
    });
    return { type: 'completed', outputs: verdict.output, row };
  }

  #inputsOf(node: GraphNode): Json {
    if (node.type === 'core.input') return this.#run.input;
    if (node.type === 'ghost') return { message: `Node not found: ${node.id}`, code: 'NODE_NOT_FOUND' };
    const inputs: Record<string, Json> = {};
    const inbound = this.#graph.inbound.get(node.id) ?? [];
    const names = new Set([...node.ports.map(({ name }) => name), ...inbound.map(({ targetInput }) => targetInput)]);
    for (const name of names) {
      const port = node.ports.find((other) => other.name === name);
      const came = inbound.filter(({ targetInput }) => targetInput === name).flatMap((edge) => this.#broughtBy(edge));
      const last = came.at(-1);
      const value = last === undefined ? port?.value : port?.isRepeated ? came : last;
      if (value !== undefined) inputs[name] = value;
    }
    return inputs;
  }

  #broughtBy({ source, sourceOutput }: GraphEdge): Json[] {
    const fate = this.#fates.get(source);
    const outputs = fate?.type === 'completed' && isBag(fate.outputs) ? fate.outputs : {};
    return Object.hasOwn(outputs, sourceOutput) ? [outputs[sourceOutput] as Json] : [];
  }

  /** Who comes to a node that was skipped ends there at once. */
  #isTooLate({ node, row, endRow, deeds }: Visit): boolean {
    const fate = this.#fates.get(node);
    return fate?.type === 'skipped' && row >= fate.row && endRow === row && deeds.length === 0;
  }

  /** Nothing else ran, and whoever waits for several was reached once by each that completed. */
  #checkVisits(): void {
    const arrivals = new Map<string, number>();
    const others: Visit[] = [];
    for (const visit of this.#journal.visits.values()) {
      if (visit.isArrival || this.#isTooLate(visit)) arrivals.set(visit.node, (arrivals.get(visit.node) ?? 0) + 1);
      else if (!visit.isTaken) others.push(visit);
    }
    // DA23: unless there is one root, a run begins at a node that nobody sees.
    const roots = [...this.#graph.sources.values()].filter(({ length }) => length === 0);
    const isHidden = others.every(({ node }) => !this.#graph.byId.has(node));
    const isRight = isHidden && others.length === (roots.length === 1 ? 0 : 1);
    this.findings.expect(isRight, () => `Expected nothing else to run, but found ${show(others)}`);
    for (const [id, fate] of this.#fates) {
      const sources = this.#sourcesOf(id);
      const came = sources.filter((source) => this.#fates.get(source)?.type === 'completed').length;
      const expected = sources.length > 1 ? came : 0;
      const found = arrivals.get(id) ?? 0;
      this.findings.expect(found === expected, () => {
        return `Expected ${expected} arrivals at node ${id} (${fate.type}), but found ${found}`;
      });
    }
  }

  #idsOf(type: Fate['type']): string[] {
    return [...this.#fates].filter(([, fate]) => fate.type === type).map(([id]) => id);
  }

  #checkEnd(): void {
    const { findings } = this;
    const run = this.#run;
    const isOver = this.#idsOf('open').length === 0;
    const failed = this.#idsOf('failed');
    const rows = [...this.#fates.values()].map(({ row }) => row);
    const row = Math.max(run.events[0]?.seq ?? 0, ...rows);
    checkEnding(
      run,
      { ends: isOver ? (failed.length > 0 ? 'failed' : 'completed') : null, row },
      this.#graph,
      findings,
    );
    if (!isOver) return;
    if (failed.length > 0) this.#checkError(failed);
    else this.#checkOutput();
    const dead = this.#idsOf('skipped').filter((id) => this.#sourcesOf(id).length > 1);
    findings.expect(isSame(dead.toSorted(), this.#journal.skipped.toSorted()), () => {
      return `Expected nodes ${show(dead)} to be told of as skipped, but found ${show(this.#journal.skipped)}`;
    });
  }

  #checkOutput(): void {
    const outputs: Record<string, Json> = {};
    for (const [id, fate] of this.#fates) if (fate.type === 'completed') outputs[id] = fate.outputs;
    this.findings.expect(isSame(this.#run.output, outputs), () => {
      return `Expected the output ${show(outputs)}, but found ${show(this.#run.output)}`;
    });
  }

  /** DA2: the run's error names them all. */
  #checkError(failed: readonly string[]): void {
    const { error } = this.#run;
    const messages: Record<string, string> = {};
    for (const [id, fate] of this.#fates) if (fate.type === 'failed') messages[id] = fate.message;
    const { code, nodeId, details } = (error ?? {}) as Bag;
    const isNamed = typeof nodeId === 'string' && failed.includes(nodeId);
    this.findings.expect(code === 'NODES_FAILED' && isNamed && isSame(details, messages), () => {
      return `Expected the run to have failed for ${show(messages)}, but found ${show(error)}`;
    });
  }
}

/** What the engine itself does has no script of ours. */
function taskOf({ type, task }: GraphNode) {
  if (type === 'work') return task;
  return { ...task, failures: 0, ...(type === 'core.input' ? {} : { retry: null }) };
}
