import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../base/json.ts';
import type { Definition, NodeDefinition } from '../definition/definition.ts';
import { tokenPolicy } from '../definition/graph.ts';
import { defaultLimits } from '../definition/limits.ts';
import type { Lowered } from '../definition/lowered.ts';
import { parseDefinition } from '../dialects/parse.ts';
import { apply, emptyState } from './apply/apply.ts';
import { dice } from './dice.testsuite.ts';
import { EdgeOracle, type Way } from './edge-oracle.testsuite.ts';
import type { Event } from './events.ts';
import { Trial } from './planning/planning.testsuite.ts';
import type { Branch, RunState, Token } from './state.ts';

type Draw = (below: number) => number;

/** Fan-outs, and loops that go back to edge joins. */
interface Kind {
  readonly hasGroups?: boolean;
  readonly hasLoops?: boolean;
}

/** Draws graphs with loops, several edge joins behind and beside each other, and, where asked for, fan-outs. */
class Author {
  readonly draw: Draw;
  readonly #hasGroups: boolean;
  readonly #hasLoops: boolean;

  constructor(draw: Draw, { hasGroups = false, hasLoops = false }: Kind) {
    this.draw = draw;
    this.#hasGroups = hasGroups;
    this.#hasLoops = hasLoops;
  }

  #pick<T>(...choices: readonly T[]): T {
    return choices[this.draw(choices.length)] as T; // there is at least one
  }

  write(): Definition {
    const ids = Array.from({ length: 5 + this.draw(5) }, (_, index) => `n${index}`);
    const nodes = ids.map((id): NodeDefinition => ({ id, ...this.#work() }));
    const forward = this.#forward(ids);
    const back = this.#back(ids);
    const ends = [...forward, ...back];
    const headers = new Set(this.#hasLoops ? back.map(([, to]) => to) : []);
    const able = ids.filter(
      (id) => headers.has(id) || (this.draw(5) < 3 && (this.#hasLoops || !isOnCycle(id, ends)) && id !== 'n0'),
    );
    const joins = new Map(able.map((id) => [id, this.#pick('some', 'all')]));
    const slices = nodes.flatMap(({ id, batch }, index) =>
      batch && ids[index + 1] ? [[id, ids[index + 1] ?? '']] : [],
    );
    const transitions = ends.map(([from = '', to = ''], index): Way => {
      const isPlain = joins.get(to) === undefined;
      const synchronization = { over: 'edges', require: joins.get(to) } as const;
      return {
        id: `w${index}`,
        from,
        to,
        ...this.#terms(index),
        ...(this.#hasLoops && index >= forward.length ? { loop: { maxIterations: 1 + this.draw(3) } } : {}),
        ...(isPlain ? this.#group() : { synchronization }),
      };
    });
    const cut = slices.map(([from = '', to = ''], index): Way => ({ id: `s${index}`, from, to, on: 'slice' }));
    return { id: 'random', initialNode: 'n0', nodes, transitions: [...transitions, ...cut] };
  }

  #work(): Partial<NodeDefinition> {
    const kind = this.draw(this.#hasGroups ? 13 : 12);
    if (kind < 6) return { action: 'a' };
    if (kind < 9) return { wait: { event: 'e' } };
    if (kind < 11) return {};
    return kind === 11 ? { wait: { seconds: 1 } } : { batch: { items: 'input.xs', batchSize: 1, parallelBatches: 2 } };
  }

  #forward(ids: readonly string[]): string[][] {
    return ids.slice(0, -1).flatMap((from, index) => {
      const behind = ids.slice(index + 1, index + 5);
      return Array.from({ length: 1 + this.draw(3) }, () => [from, behind[this.draw(behind.length)] ?? '']);
    });
  }

  #back(ids: readonly string[]): string[][] {
    return Array.from({ length: this.#hasLoops ? 1 + this.draw(4) : this.draw(3) }, () => {
      const to = this.draw(ids.length);
      return [ids[Math.min(ids.length - 1, to + this.draw(this.#hasLoops ? 5 : 3))] ?? '', ids[to] ?? ''];
    });
  }

  #terms(index: number): object {
    const condition = `"w${index}" in result ? result.w${index} : input.w${index}`;
    return {
      ...(this.draw(5) < 3 ? { condition } : {}),
      ...(this.draw(4) === 0 ? { priority: 2 } : {}),
      ...(this.draw(10) === 0 ? { on: this.#pick('failure', 'any') } : {}),
    };
  }

  #group(): object {
    if (!this.#hasGroups) return {};
    const siblingGroup = this.#pick('g', 'h');
    const kind = this.draw(10);
    if (kind === 0) return { siblingGroup };
    if (kind === 1) return { siblingGroup, spawnCount: 2 };
    if (kind === 2) return { siblingGroup, foreach: { collection: 'input.xs', maxParallel: 1 } };
    if (kind > 5) return {};
    const join = { strategy: this.#pick('all', 'any'), onEarlyComplete: this.#pick('cancel', 'abandon') };
    return { synchronization: kind === 3 ? join : { ...join, siblingGroup } };
  }
}

function isOnCycle(id: string, ends: readonly string[][]): boolean {
  const reached = new Set(ends.flatMap(([from = '', to = '']) => (from === id ? [to] : [])));
  for (const node of reached) for (const [from, to = ''] of ends) if (from === node) reached.add(to);
  return reached.has(id);
}

/** A run with its oracle: every decision is looked at before it is applied, and every branch after each command. */
class Watch {
  readonly trial: Trial;
  readonly #oracle: EdgeOracle;
  readonly #seen: RunState = emptyState();
  /** Branches that somebody has left or in which somebody waits for edges: edge joins were looked at. */
  readonly #begun = new Set<Branch>();
  decided = 0;
  rounds = 0;
  #heard = 0;

  constructor(definition: Definition, lowered: Lowered, input: JsonObject) {
    this.#oracle = new EdgeOracle(definition);
    this.trial = new Trial(lowered, { input, limits: { nodesPerRunMax: 120 } });
  }

  /** What the engine did that the oracle would not have done, in words. */
  faults(): string[] {
    const found: string[] = [];
    for (const event of this.trial.journal.slice(this.#heard)) {
      if (event.type === 'edge_join.completed')
        found.push(...this.#early(event.branch, [event.node], event.again ? 'again' : 'runs'));
      if (event.type === 'edge_join.completed' && event.again) this.rounds++;
      if (event.type === 'edges.settled') found.push(...this.#early(event.branch, event.skipped, 'skipped'));
      if ('token' in event && isStep(event)) this.#begun.add(this.#branchOf(event.token));
      apply(this.#seen, event);
    }
    this.#heard = this.trial.journal.length;
    const open =
      this.#seen.outcome === null ? openBranches(this.#seen).filter((branch) => this.#begun.has(branch)) : [];
    return [...found, ...open.flatMap((branch) => this.#late(branch))];
  }

  #branchOf(token: number | undefined): Branch {
    return this.#seen.tokens.get(token ?? 0)?.branch ?? this.#seen.root;
  }

  #early(ref: readonly [number, number], nodes: readonly string[], verdict: string): string[] {
    const [group, index] = ref;
    const branch = group === 0 ? this.#seen.root : (this.#seen.groups.get(group)?.branches[index] as Branch);
    const due = this.#oracle.judge(this.#seen, branch);
    this.decided += nodes.length;
    return nodes.filter((node) => due.get(node) !== verdict).map((node) => `${node}: ${verdict}, not ${due.get(node)}`);
  }

  #late(branch: Branch): string[] {
    const due = [...this.#oracle.judge(this.#seen, branch)].filter(([, verdict]) => verdict !== 'open');
    return due.map(([node, verdict]) => `${node}: late, ${verdict}`);
  }
}

function isStep(event: Event): boolean {
  if (event.type === 'token.waiting') return event.for === 'edges' || event.for === 'siblings';
  return event.type === 'token.completed' || event.type === 'task.failed';
}

function openBranches({ root, groups }: RunState): Branch[] {
  const inner = [...groups.values()].flatMap((group) => group.branches.filter(() => true));
  return [root, ...inner.filter(({ live, ended }) => live > 0 && !ended)];
}

function wake({ trial }: Watch, { id, status }: Token, ways: readonly Way[], draw: Draw): void {
  const result = Object.fromEntries(ways.map((way) => [way.id, draw(2) === 0]));
  if (status === 'dispatched') {
    if (draw(12) === 0) trial.fail(id);
    else trial.complete(id, result);
  } else if (status === 'waiting_for_event') trial.deliver(id, `e${trial.journal.length}`, { payload: result });
  else if (status === 'waiting_for_timer') trial.alarmAt(trial.at + 1_000);
}

/** Null where the graph was refused. Else how many joins were decided, and the first faults. */
function play(seed: number, kind: Kind): { decided: number; rounds: number; faults: readonly string[] } | null {
  const draw = dice(seed);
  const definition = new Author(draw, kind).write();
  const { problems } = parseDefinition(definition, { limits: defaultLimits });
  if (problems.some(({ severity }) => severity === 'error')) return null;
  const ways = definition.transitions as readonly Way[];
  const unhandledFailure = draw(2) === 0 ? 'record' : 'fail';
  const policy = { ...tokenPolicy, noMatch: 'end', unhandledFailure } as const;
  const input = { xs: [1, 2, 3].slice(0, draw(4)), ...Object.fromEntries(ways.map(({ id }) => [id, draw(2) === 0])) };
  const watch = new Watch(definition, { ...definition, policy }, input);
  let faults = watch.faults();
  for (let step = 0; step < 40 && faults.length === 0 && watch.trial.state.outcome === null; step++) {
    const tokens = [...watch.trial.state.tokens.values()];
    const token = tokens[draw(tokens.length)];
    if (token) wake(watch, token, ways, draw);
    faults = watch.faults();
  }
  return { decided: watch.decided, rounds: watch.rounds, faults };
}

describe('random graphs with edge joins', () => {
  test.each([
    ['[EJ2][EJ7] with cycles beside them and event waits', 0, {}],
    ['[EJ9][EJ10] with fan-outs too', 100_000, { hasGroups: true }],
    ['[EJ12][EJ13] on loops', 200_000, { hasLoops: true }],
    ['[EJ12][EJ13] on loops, with fan-outs', 300_000, { hasLoops: true, hasGroups: true }],
  ])('every edge join is decided when the oracle says so, neither earlier nor later: %s', (_, first, kind: Kind) => {
    const seeds = Array.from({ length: 1_000 }, (_seed, index) => first + index);
    const played = seeds.map((seed) => ({ seed, ...play(seed, kind) }));
    expect(played.filter(({ faults = [] }) => faults.length > 0)).toEqual([]);
    expect(played.reduce((sum, { decided = 0 }) => sum + decided, 0)).toBeGreaterThan(1_000);
    if (kind.hasLoops) expect(played.reduce((sum, { rounds = 0 }) => sum + rounds, 0)).toBeGreaterThan(200);
  });
});
