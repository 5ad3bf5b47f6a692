// Thread walk: one run of a thread program, walked as a tree beside its journal, each thread with its own context.
//
// Always true: what waits for something that the journal does not tell of is stuck, and so is what encloses it.
//
// Rules: TH1, TH2, TH17 to TH20, TH22 to TH25, TH27, BA1 to BA8, MG6, MG10, MG12, SY6, SY9, SY11.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunRecord } from '../workload.ts';
import type { Visit } from './journal.ts';
import { find, ThreadContext } from './thread-context.ts';
import { buildFrom } from './thread-mapping.ts';
import { type Block, canLeave, type Program, type Step } from './thread-program.ts';
import type { Outcome, Thread, ThreadVisits } from './thread-visits.ts';
import { walkAsk, walkCall, walkWork } from './thread-waits.ts';
import { isSame, show } from './values.ts';

type StepOf<T extends Step['type']> = Extract<Step, { type: T }>;

export class ThreadWalk {
  readonly #visits: ThreadVisits;
  readonly #world: readonly RunRecord[];

  constructor(visits: ThreadVisits, world: readonly RunRecord[]) {
    this.#visits = visits;
    this.#world = world;
  }

  /** From the start on. */
  walk({ initialize, body }: Program, thread: Thread): Outcome {
    const visit = this.#visits.take(thread, 'start');
    if (!visit) return 'stuck';
    const { input } = this.#visits.run;
    const begun = new ThreadContext({});
    for (const { path, isOptional, default: value } of initialize ?? []) {
      const given = find(input, path.split('.'));
      const found = given === undefined ? value : given; // null is there (TH17)
      if (found !== undefined) begun.set(path, found);
      else if (!isOptional) return this.#visits.fail(thread, visit, 'VALUE_MISSING');
    }
    thread.context.merge(initialize === null ? input : begun.view);
    return this.#visits.passed(thread, visit) === 'on' ? this.#walkBlock(body, thread) : 'stuck';
  }

  #walkBlock(block: Block, thread: Thread): Outcome {
    for (const step of block) {
      const outcome = this.#walkStep(step, thread);
      if (outcome !== 'on') return outcome;
    }
    return 'on';
  }

  #walkStep(step: Step, thread: Thread): Outcome {
    if (step.type === 'stop') return 'over';
    const visit = this.#visits.take(thread, step.id);
    if (!visit) return 'stuck';
    const waiting = { visit, visits: this.#visits, world: this.#world };
    switch (step.type) {
      case 'edit':
        for (const { path, value } of step.upserts) thread.context.set(path, value);
        for (const path of step.deletes) thread.context.remove(path);
        return this.#visits.passed(thread, visit);
      case 'code':
        return this.#compute(step, thread, visit);
      case 'work':
        return walkWork(step, thread, waiting);
      case 'ask':
        return walkAsk(step, thread, waiting);
      case 'gosub':
        return walkCall(step, thread, waiting);
      case 'fan':
        return this.#fan(step, thread, visit);
      case 'batch':
        return this.#batch(step, thread, visit);
      case 'switch':
        return this.#choose(step, thread, visit);
      case 'loop':
        return this.#loop(step, thread, visit);
      case 'end':
        return this.#end(step, thread, visit);
      case 'stray':
        // It never gets past the fan-in.
        return this.#visits.fail(thread, visit, 'FAN_IN_WITHOUT_FAN_OUT', 'cancelled');
    }
  }

  // --------------------------------------------------------------------------------------------- one after another

  #compute({ path, source }: StepOf<'code'>, thread: Thread, visit: Visit): Outcome {
    const { context, slice } = thread;
    const value = { size: Object.keys(context.view).length, slice, missing: null }[source];
    if (value === null) return this.#visits.fail(thread, visit, 'VALUE_MISSING');
    context.set(path, value);
    return this.#visits.passed(thread, visit);
  }

  #choose({ id, condition, ways }: StepOf<'switch'>, thread: Thread, visit: Visit): Outcome {
    if (this.#visits.passed(thread, visit) === 'stuck') return 'stuck';
    if (condition === 'missing') return this.#visits.fail(thread, visit, 'CONDITION_FAILED', 'completed');
    const { view } = thread.context;
    const isEven = Object.keys(view).length % 2 === 0;
    const hasV = Object.hasOwn(view, 'v');
    // As data, null is as good as nothing.
    const hasVAsData = hasV && view['v'] !== null;
    const holds = { even: isEven, hasV, hasVAsData, blank: false }[condition];
    if (this.#visits.pass(thread, `${id}${holds ? 'yes' : 'no'}`) === 'stuck') return 'stuck';
    return this.#walkBlock(ways[holds ? 0 : 1], thread);
  }

  #loop({ id, times, body }: StepOf<'loop'>, thread: Thread, visit: Visit): Outcome {
    if (this.#visits.passed(thread, visit) === 'stuck') return 'stuck';
    for (let time = 0; time < times; time++) {
      thread.context.set(`loops.${id}`, time);
      if (this.#visits.pass(thread, `${id}head`) === 'stuck') return 'stuck';
      const outcome = this.#walkBlock(body, thread);
      if (outcome !== 'on') return outcome;
      if (this.#visits.pass(thread, `${id}up`, `${id}again`) === 'stuck') return 'stuck';
    }
    thread.context.set(`loops.${id}`, times);
    return this.#visits.pass(thread, `${id}done`);
  }

  #end({ mappings }: StepOf<'end'>, thread: Thread, visit: Visit): Outcome {
    const result = buildFrom(thread.context.view, mappings);
    if (result === null) return this.#visits.fail(thread, visit, 'VALUE_MISSING');
    if (this.#visits.passed(thread, visit) === 'stuck') return 'stuck';
    const found = this.#visits.journal.results.find(({ token }) => token === visit.token);
    this.#visits.findings.expect(isSame(found?.output, result), () => {
      return `Expected end ${visit.node} to make the result ${show(result)}, but it made ${show(found?.output)}`;
    });
    return 'over';
  }

  // -------------------------------------------------------------------------------------------- several at a time

  #fan({ id, ways }: StepOf<'fan'>, thread: Thread, visit: Visit): Outcome {
    if (this.#visits.passed(thread, visit) === 'stuck') return 'stuck';
    if (ways.length === 0) return 'over';
    const group = this.#groupOf(visit, ways.length);
    if (group === 0) return 'stuck';
    const branches = ways.map((_, index) => branchOf(thread, { group, index, slice: thread.slice }));
    const outcomes = ways.map((way, index) => this.#walkBranch(way, branches[index] as Thread, `${id}in`));
    if (outcomes.includes('stuck')) return 'stuck';
    const hasEnded = (branch: Thread): boolean => outcomes[branch.index] === 'over';
    this.#checkEnded(visit, branches.filter(hasEnded));
    thread.row = Math.max(...branches.map(({ row }) => row));
    if (!ways.some(canLeave)) {
      const last = this.#visits.journal.groupsByToken.get(visit.token)?.ended.at(-1)?.index ?? 0;
      thread.context.adopt((branches[last] as Thread).context);
      return 'over';
    }
    const arrived = branches.filter((branch) => !hasEnded(branch));
    const outputs = outputsOf(arrived);
    // If none has arrived, nothing is merged, which is an empty object.
    if (outputs.length > 0 || arrived.length === 0) thread.context.mergeOutputs(outputs);
    return this.#visits.pass(thread, `${id}in`);
  }

  /** To the fan-in, where it waits for the others, or to its end elsewhere. */
  #walkBranch(way: Block, branch: Thread, join: string): Outcome {
    const outcome = this.#walkBlock(way, branch);
    if (outcome !== 'on') return outcome;
    const arrival = this.#visits.take(branch, join);
    if (arrival?.isArrival) return 'on';
    this.#visits.findings.expect(this.#visits.hasEndedIn(branch.row), () => {
      return `Expected branch ${branch.index} of group ${branch.group} to wait at ${join}, but it does not`;
    });
    return 'stuck';
  }

  /** The group that a visit opened, which has so many branches; 0 if the run ended before it could be. */
  #groupOf({ token, node, row }: Visit, total: number): number {
    const group = this.#visits.journal.groupsByToken.get(token);
    this.#visits.findings.expect(group ? group.total === total : this.#visits.hasEndedIn(row), () => {
      return `Expected node ${node} to open ${total} branches, but found ${show(group)}`;
    });
    return group?.total === total ? group.id : 0;
  }

  /** These branches, and no others, have ended, each once, in the row in which its last thing happened. */
  #checkEnded({ token, node }: Visit, expected: readonly Thread[]): void {
    const ended = this.#visits.journal.groupsByToken.get(token)?.ended ?? [];
    const isRight = expected.every(({ index, row }) => ended.some((each) => each.index === index && each.row === row));
    this.#visits.findings.expect(isRight && ended.length === expected.length, () => {
      return `Expected branches ${show(expected.map(({ index, row }) => ({ index, row })))} of ${node} to end, but found ${show(ended)}`;
    });
  }

  #batch({ items, size, parallel, process }: StepOf<'batch'>, thread: Thread, visit: Visit): Outcome {
    if (process === null) return this.#visits.passed(thread, visit);
    const list = thread.context.read(items);
    if (!Array.isArray(list)) return this.#visits.fail(thread, visit, 'BATCH_NOT_A_LIST');
    const slices = slicesOf(list as readonly Json[], size);
    const group = this.#groupOf(visit, slices.length);
    if (group === 0) return 'stuck';
    const branches = this.#walkSlices(process, slices, { thread, group, items, parallel });
    if (branches.length < slices.length || branches.some(({ row }) => row === Infinity)) return 'stuck';
    this.#checkEnded(visit, branches);
    thread.row = Math.max(thread.row, ...branches.map(({ row }) => row));
    const outputs = outputsOf(branches);
    if (outputs.length > 0) thread.context.mergeOutputs(outputs);
    return this.#visits.passed(thread, visit);
  }

  /** Slices begin in order, each as soon as there is room; one that has not ended has the row `Infinity`. */
  #walkSlices(
    process: Block,
    slices: readonly (readonly Json[])[],
    how: { readonly thread: Thread; readonly group: number; readonly items: string; readonly parallel: number },
  ): Thread[] {
    const { thread, group, items, parallel } = how;
    const branches: Thread[] = [];
    for (const [index, slice] of slices.entries()) {
      const ends = branches.map(({ row }) => row).toSorted((a, b) => a - b);
      const row = index < parallel ? thread.row : (ends[index - parallel] ?? Infinity);
      if (row === Infinity) return branches;
      const view = { ...thread.context.view, [items]: slice };
      const branch = { ...branchOf(thread, { group, index, slice: index }, view), row };
      if (this.#walkBlock(process, branch) === 'stuck') branch.row = Infinity;
      branches.push(branch);
    }
    return branches;
  }
}

function branchOf(
  thread: Thread,
  place: Pick<Thread, 'group' | 'index' | 'slice'>,
  view = thread.context.view,
): Thread {
  return { ...place, context: new ThreadContext(view), row: thread.row };
}

/** What branches have written there themselves, in their order; null is something too. */
function outputsOf(branches: readonly Thread[]): Json[] {
  const outputs: Json[] = [];
  for (const { context } of branches) if (context.ownOutput !== undefined) outputs.push(context.ownOutput);
  return outputs;
}

function slicesOf(list: readonly Json[], size: number): (readonly Json[])[] {
  const slices: (readonly Json[])[] = [];
  const step = size || list.length;
  for (let from = 0; from < list.length; from += step) slices.push(list.slice(from, from + step));
  return slices;
}
