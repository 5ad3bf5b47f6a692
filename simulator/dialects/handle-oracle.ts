// Handle oracle: walks a drawing as the journal says that it was walked, and says where that cannot be. It is given the
// drawing, the input, how tasks ended, and in which order nodes that became ready together were taken; all else follows.
//
// Rules: HN1 to HN7, HN10 to HN13, HN15, HN16, EJ2 to EJ4, TS7.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunRecord } from '../workload.ts';
import { Findings } from './findings.ts';
import { checkHandOuts } from './hand-outs.ts';
import { type Controls, readControls, withoutControls } from './handle-controls.ts';
import { type Drawing, execute, type HandleNode } from './handle-drawing.ts';
import { HandleWays } from './handle-ways.ts';
import { Journal, type Visit } from './journal.ts';
import { checkEnding } from './run-ending.ts';
import { isGarbled, judgeTask } from './task-verdict.ts';
import { type Bag, isSame, show } from './values.ts';

export function checkHandle(drawing: Drawing, run: RunRecord): string | null {
  const oracle = new Oracle(drawing, run);
  oracle.check();
  return oracle.findings.tell();
}

/** Nodes that became ready together, in one row. */
interface Batch {
  readonly row: number;
  readonly nodes: Set<string>;
}

/** What became of a node: it is done, the run has failed there, or it was under way when the run ended. */
type Step = 'done' | 'failed' | 'open';

class Oracle {
  readonly findings = new Findings();
  readonly #drawing: Drawing;
  readonly #run: RunRecord;
  readonly #journal: Journal;
  readonly #ways: HandleWays;
  #context: Bag;
  #row: number;
  /** First in, first out. */
  readonly #ready: Batch[] = [];
  #executed = 0;

  constructor(drawing: Drawing, run: RunRecord) {
    this.#drawing = drawing;
    this.#run = run;
    this.#journal = new Journal(run.events);
    this.#ways = new HandleWays(drawing);
    this.#context = withoutControls(run.input);
    this.#row = run.events[0]?.seq ?? 0;
  }

  check(): void {
    this.#makeReady([this.#ways.entry]);
    let step: Step = 'done';
    for (const visit of this.#takenVisits()) {
      this.findings.expect(step === 'done', () => `Expected nothing to run after that, but ${visit.node} did`);
      step = this.#take(visit);
    }
    this.#checkWaiting();
    this.#checkArrivals();
    this.#checkEnd(step);
    const isTask = (node: string): boolean => this.#ways.isReached(node);
    checkHandOuts(this.#run.events, { isTask, isOneAtATime: true }, this.findings);
  }

  /** In the order in which they were first handed out. */
  #takenVisits(): Visit[] {
    return this.#run.events.flatMap((event) =>
      event.type === 'task.dispatched' && event.dispatch === 1 ? (this.#journal.visits.get(event.token) ?? []) : [],
    );
  }

  #makeReady(nodes: readonly string[]): void {
    if (nodes.length > 0) this.#ready.push({ row: this.#row, nodes: new Set(nodes) });
  }

  #take(visit: Visit): Step {
    const [batch] = this.#ready;
    const node = this.#drawing.nodes.find(({ id }) => id === visit.node);
    const isTurn = batch?.nodes.delete(visit.node) ?? false;
    this.findings.expect(isTurn && !visit.isArrival && visit.row === batch?.row, () => {
      return `Expected one of ${show([...(batch?.nodes ?? [])])} to run next, made in row ${batch?.row}, but ${visit.node} did, made in row ${visit.row}`;
    });
    if (batch?.nodes.size === 0) this.#ready.shift();
    visit.isTaken = true;
    this.#executed++;
    return node ? this.#execute(node, visit) : 'open';
  }

  #execute(node: HandleNode, visit: Visit): Step {
    const returned = execute(node, this.#context);
    const input = { data: node.data ?? {}, nodeId: node.id, context: this.#context };
    const deal = { input, output: withoutControls(returned) };
    const verdict = judgeTask(node.task, visit, deal, this.findings);
    if (verdict.type === 'open') return 'open';
    const completed = visit.deeds.find(({ type }) => type === 'task.completed' || type === 'task.failed');
    const controls = readControls(returned, completed?.at ?? 0);
    if (verdict.type === 'failed') return this.#fail(visit, verdict.error.code, controls);
    this.findings.expect(isGarbled(verdict.output) || controls.until !== 'never', () => {
      return `Expected node ${node.id} to fail for its wait, but it completed`;
    });
    return this.#finish(visit, verdict.output, isGarbled(verdict.output) ? readControls({}, 0) : controls);
  }

  #fail(visit: Visit, code: string, { until }: Controls): Step {
    this.#row = visit.endRow;
    this.findings.expect(code !== 'WAIT_INVALID' || until === 'never', () => {
      return `Expected the wait of node ${visit.node} to be possible, but it failed with ${code}`;
    });
    const failed = visit.deeds.find(({ type }) => type === 'task.failed');
    const error = failed && 'error' in failed ? failed.error : null;
    this.findings.expect(isSame(this.#run.error, error), () => {
      return `Expected the run to have failed with ${show(error)}, but found ${show(this.#run.error)}`;
    });
    return 'failed';
  }

  /** The node has its result: it waits, if it asked for it, and then its handle is followed. */
  #finish(visit: Visit, output: Json, controls: Controls): Step {
    const { node } = visit;
    const told = visit.deeds.find(({ type }) => type === 'control.ignored');
    const ignored = told && 'keys' in told ? told.keys : [];
    this.findings.expect(isSame(ignored, controls.ignored), () => {
      return `Expected control keys ${show(controls.ignored)} of node ${node} to be ignored, but ${show(ignored)} were`;
    });
    if (!this.#wait(visit, controls)) return 'open';
    this.#row = visit.endRow;
    this.#context = output as Bag; // what is no object has failed
    const { taken, ready } = this.#ways.follow(node, controls.handle);
    const unmatched = visit.deeds.some(({ type }) => type === 'handle.unmatched');
    const isNamed = controls.isNamed && controls.handle !== 'main';
    this.findings.expect(unmatched === (taken === 0 && isNamed), () => {
      return `Expected handle ${controls.handle} of node ${node} to be followed ${taken} times, but the journal says that it is ${unmatched ? '' : 'not '}unmatched`;
    });
    this.#makeReady(ready);
    return 'done';
  }

  /** Whether its wait, if there is one, is over. */
  #wait(visit: Visit, { until }: Controls): boolean {
    const waiting = visit.deeds.find(({ type }) => type === 'token.waiting');
    const found = waiting && 'until' in waiting ? waiting.until : null;
    const completed = visit.deeds.find(({ type }) => type === 'task.completed');
    const expected = until === 'never' || until <= (completed?.at ?? 0) ? null : until;
    this.findings.expect(found === expected, () => {
      return `Expected node ${visit.node} to wait until ${expected}, but it waits until ${found}`;
    });
    const fired = visit.deeds.find(({ type }) => type === 'timer.fired');
    this.findings.expect(fired === undefined || (found !== null && fired.at >= found), () => {
      return `Expected the wait of node ${visit.node} to end from ${found} on, but it ended at ${fired?.at}`;
    });
    return found === null || fired !== undefined;
  }

  /** What is ready and has not begun has a token that waits for its turn; nothing else has one. */
  #checkWaiting(): void {
    for (const { row, nodes } of this.#ready) {
      for (const node of nodes) {
        const waiting = this.#journal.at(node).filter(({ isArrival }) => !isArrival);
        this.findings.expect(waiting.length === 1 && waiting[0]?.row === row, () => {
          return `Expected node ${node} to be ready once, in row ${row}, but found rows ${show(waiting.map((visit) => visit.row))}`;
        });
        for (const visit of waiting) visit.isTaken = true;
      }
    }
    const others = [...this.#journal.visits.values()].filter(({ isTaken, isArrival }) => !isTaken && !isArrival);
    // A run begins at a node that nobody sees.
    this.findings.expect(others.length === 1 && !this.#ways.isReached(others[0]?.node ?? ''), () => {
      return `Expected nothing else to be visited, but found ${show(others)}`;
    });
  }

  #checkArrivals(): void {
    const arrivals = new Map<string, number>();
    for (const { isArrival, node } of this.#journal.visits.values())
      if (isArrival) arrivals.set(node, (arrivals.get(node) ?? 0) + 1);
    for (const { id } of this.#drawing.nodes) {
      const expected = this.#ways.arrivalsAt(id);
      this.findings.expect((arrivals.get(id) ?? 0) === expected, () => {
        return `Expected ${expected} arrivals at node ${id}, but found ${arrivals.get(id) ?? 0}`;
      });
    }
  }

  #checkEnd(last: Step): void {
    const run = this.#run;
    const isLimited = last === 'done' && this.#ready.length > 0 && this.#executed === this.#drawing.maxNodes;
    const isOver = last === 'done' && this.#ready.length === 0;
    const ends = last === 'failed' || isLimited ? 'failed' : isOver ? 'completed' : null;
    checkEnding(run, { ends, row: this.#row }, this.#drawing, this.findings);
    const limited = run.error?.['code'] === 'LIMIT_EXCEEDED';
    this.findings.expect(!isLimited || limited, () => `Expected LIMIT_EXCEEDED, but found ${show(run.error)}`);
    this.findings.expect(isSame(run.state, { context: this.#context }), () => {
      return `Expected the context ${show(this.#context)}, but found ${show(run.state)}`;
    });
    this.findings.expect(ends !== 'completed' || isSame(run.output, this.#context), () => {
      return `Expected the output ${show(this.#context)}, but found ${show(run.output)}`;
    });
  }
}
