// Compiles a random program to definitions: the program itself as `root`, each of its calls as a workflow of its own.

import type {
  Definition,
  NodeDefinition,
  SynchronizationDefinition,
  TransitionDefinition,
} from '../../packages/heddle/src/definition/definition.ts';
import {
  type Arm,
  type Block,
  type Call,
  type Dag,
  type Fan,
  hasExit,
  requiredOf,
  type Task,
} from './program.testsuite.ts';

interface Around {
  readonly inGroup: boolean;
  readonly inForeach: boolean;
  /** Joins of the enclosing fan-outs that can be reached from further in, outermost first. */
  readonly joins: readonly (JoinPlace | null)[];
}

interface JoinPlace {
  readonly node: string;
  readonly synchronization: SynchronizationDefinition;
}

/** The nodes by which a block is entered and left. */
interface Part {
  readonly entry: string;
  readonly exit: string | null;
}

export const retryDelayMs = 10;

export function compileProgram(root: Block): Definition[] {
  const definitions: Definition[] = [];
  new Compiler('root', definitions).compile(root);
  return definitions;
}

class Compiler {
  readonly #id: string;
  readonly #definitions: Definition[];
  readonly #nodes: NodeDefinition[] = [];
  readonly #transitions: TransitionDefinition[] = [];

  constructor(id: string, definitions: Definition[]) {
    this.#id = id;
    this.#definitions = definitions;
  }

  compile(root: Block): void {
    const begin = this.#node({ id: 'begin', outputMapping: { 'state.x': 'input.x' } });
    const { entry } = this.#block(root, { inGroup: false, inForeach: false, joins: [] });
    this.#link(begin, entry);
    this.#definitions.push({
      id: this.#id,
      initialNode: begin,
      nodes: this.#nodes,
      transitions: this.#transitions,
      outputMapping: { x: 'state.x' },
    });
  }

  #node(node: NodeDefinition): string {
    this.#nodes.push(node);
    return node.id;
  }

  #link(from: string | null, to: string, more: Partial<TransitionDefinition> = {}): void {
    if (from !== null) this.#transitions.push({ from, to, ...more });
  }

  #pass(prefix: string): string {
    return this.#node({ id: this.#newId(prefix) });
  }

  #newId(prefix: string): string {
    return `${prefix}${this.#nodes.length}`;
  }

  #block(block: Block, around: Around): Part {
    switch (block.type) {
      case 'task':
        return single(this.#task(block, around));
      case 'pass':
        return single(this.#pass('pass'));
      case 'stop':
        return { entry: this.#pass('stop'), exit: null };
      case 'leap':
        return this.#leap(block.levels, around);
      case 'wait':
        return single(this.#node({ id: this.#newId('wait'), wait: { seconds: block.seconds } }));
      case 'sequence':
        return this.#sequence(block.blocks, around);
      case 'choice':
        return this.#choice(block, around);
      case 'rescue':
        return this.#rescue(block, around);
      case 'loop':
        return this.#loop(block, around);
      case 'call':
        return single(this.#call(block));
      case 'dag':
        return this.#dag(block, around);
      case 'fan':
        return this.#fan(block, around);
    }
  }

  #task(task: Task, around: Around, extra: Record<string, string> = {}): string {
    const { key, failures, attempts } = task;
    return this.#node({
      id: key,
      action: 'work',
      inputMapping: {
        key: `"${key}"`,
        failures: String(failures),
        isRaw: String(task.isRaw),
        x: 'state.x',
        error: 'state._last_error.code',
        ...(around.inGroup ? { index: '_branch.index', total: '_branch.total' } : {}),
        ...(around.inForeach ? { item: 'item' } : {}),
        ...extra,
      },
      ...(task.isRaw ? {} : { outputMapping: { 'state.x': 'result.value' } }),
      ...(attempts > 1
        ? { retry: { maxAttempts: attempts, backoff: 'exponential', initialDelayMs: retryDelayMs, jitter: 0 } }
        : {}),
    });
  }

  #leap(levels: number, { joins }: Around): Part {
    const entry = this.#pass('leap');
    const join = joins.at(-1 - levels);
    if (join && levels < joins.length) this.#link(entry, join.node, { synchronization: join.synchronization });
    return { entry, exit: null };
  }

  #sequence(blocks: readonly Block[], around: Around): Part {
    const entry = this.#pass('begin');
    let exit: string | null = entry;
    for (const block of blocks) {
      if (exit === null) break;
      const part = this.#block(block, around);
      this.#link(exit, part.entry);
      exit = part.exit;
    }
    return { entry, exit };
  }

  #choice(block: Extract<Block, { type: 'choice' }>, around: Around): Part {
    const entry = this.#pass('choice');
    const first = this.#block(block.first, around);
    const otherwise = this.#block(block.otherwise, around);
    const condition = block.on === 'even' ? '_branch.index % 2 == 0' : String(block.on);
    this.#link(entry, first.entry, { condition, priority: 1 });
    this.#link(entry, otherwise.entry, { priority: 2 });
    return { entry, exit: this.#meet(first.exit, otherwise.exit) };
  }

  /** One node after whichever of the ways is taken; none if none leads anywhere. */
  #meet(...exits: readonly (string | null)[]): string | null {
    const ways = exits.filter((exit) => exit !== null);
    if (ways.length === 0) return null;
    const exit = this.#pass('meet');
    for (const way of ways) this.#link(way, exit);
    return exit;
  }

  #rescue({ task, rescuer: first, handler }: Extract<Block, { type: 'rescue' }>, around: Around): Part {
    const entry = this.#task(task, around);
    const rescuer = this.#task(first, around);
    const rest = this.#block(handler, around);
    this.#link(entry, rescuer, { on: 'failure' });
    this.#link(rescuer, rest.entry);
    return { entry, exit: this.#meet(entry, rest.exit) };
  }

  #loop({ times, body }: Extract<Block, { type: 'loop' }>, around: Around): Part {
    const inside = this.#block(body, around);
    if (inside.exit === null) return inside;
    const turn = this.#pass('turn');
    const exit = this.#pass('done');
    this.#link(inside.exit, turn);
    this.#link(turn, inside.entry, { loop: { maxIterations: times }, priority: 1 });
    this.#link(turn, exit, { priority: 2 });
    return { entry: inside.entry, exit };
  }

  #call({ key: id, body, catches, timeoutMs }: Call): string {
    new Compiler(`w-${id}`, this.#definitions).compile(body);
    return this.#node({
      id,
      workflow: {
        id: `w-${id}`,
        ...(catches ? { onFailure: 'catch' } : {}),
        ...(timeoutMs === null ? {} : { timeoutMs }),
      },
      inputMapping: { x: 'state.x' },
      outputMapping: { 'state.x': 'result.x' },
    });
  }

  #dag({ key, nodes, last, exit: task }: Dag, around: Around): Part {
    const ids = nodes.map((_, index) => `${key}_${index}`);
    for (const id of ids) {
      this.#node({
        id,
        action: 'work',
        inputMapping: { key: `"${id}"` },
        outputMapping: { [`state.${id}`]: 'result.value' },
      });
    }
    for (const [index, { from, require }] of nodes.entries()) {
      for (const { node, isOpen } of from) {
        const condition = isOpen ? {} : { condition: 'false' };
        this.#link(ids[node]!, ids[index]!, { ...condition, synchronization: { over: 'edges', require } });
      }
    }
    const seen = Object.fromEntries(last.map((node) => [`seen.${ids[node]}`, `state.${ids[node]}`]));
    const exit = this.#task(task, around, seen);
    for (const node of last) this.#link(ids[node]!, exit, { synchronization: { over: 'edges' } });
    return { entry: ids[0]!, exit };
  }

  #fan(fan: Fan, around: Around): Part {
    const entry = this.#pass('fan');
    const group = `g-${entry}`;
    const exit = hasExit(fan) ? this.#pass('join') : null;
    const synchronization = synchronizationOf(fan, group);
    const join = exit !== null && fan.isNamed ? { node: exit, synchronization } : null;
    for (const arm of fan.arms) {
      const inForeach = around.inForeach || arm.spawn.type === 'items';
      const inside = { inGroup: true, inForeach, joins: [...around.joins, join] };
      const body = this.#block(arm.body, inside);
      this.#link(entry, body.entry, { siblingGroup: group, ...spawnFields(arm), ...toleranceFields(fan) });
      if (exit !== null) this.#link(body.exit, exit, { synchronization });
    }
    return { entry, exit };
  }
}

const single = (node: string): Part => ({ entry: node, exit: node });

function spawnFields({ spawn }: Arm): Partial<TransitionDefinition> {
  if (spawn.type === 'one') return {};
  if (spawn.type === 'count') return { spawnCount: spawn.count };
  const { items, maxParallel } = spawn;
  const collection = JSON.stringify(items);
  return { foreach: { collection, itemVar: 'item', ...(maxParallel === null ? {} : { maxParallel }) } };
}

function toleranceFields({ tolerates }: Fan): Partial<TransitionDefinition> {
  if (tolerates === null) return {};
  const { maxFailures } = tolerates;
  return { onBranchFailure: 'end', ...(maxFailures === null ? {} : { maxFailures }) };
}

function synchronizationOf(fan: Fan, siblingGroup: string): SynchronizationDefinition {
  const required = requiredOf(fan);
  const { early } = fan;
  return {
    ...(fan.isNamed ? { siblingGroup } : {}),
    strategy: required === null ? 'all' : required === 1 ? 'any' : { mOfN: required },
    ...(early?.abandon ? { onEarlyComplete: 'abandon' } : {}),
    ...(early?.timeoutMs
      ? { timeoutMs: early.timeoutMs, onTimeout: early.proceeds ? 'proceed_with_available' : 'fail' }
      : {}),
    ...(fan.merge === null ? {} : { merge: { source: '_branch.output.x', target: 'state.x', strategy: fan.merge } }),
  };
}
