// Thread definition: a program as nodes and connectors.
//
// Always true: the ids of nodes begin with that of their step.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { settingsOf } from './task-script.ts';
import type { Block, Mapping, Program, Step } from './thread-program.ts';

type StepOf<T extends Step['type']> = Extract<Step, { type: T }>;

interface Node {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: Json;
}

/** An output of a node that is still to be connected. */
interface Loose {
  readonly from: string;
  readonly output?: string;
}

export function definitionOf({ workflow, initialize, body, timeoutMs, concurrency }: Program): Json {
  const entries = initialize?.map(({ path, isOptional, default: value }) => ({
    path,
    ...(isOptional ? { optional: true } : {}),
    ...(value === undefined ? {} : { default: value }),
  }));
  const drawer = new Drawer({ id: 'start', type: 'start', ...(entries ? { initialize: entries } : {}) });
  drawer.drawBlock(body, [{ from: 'start' }]);
  return {
    dialect: 'thread',
    id: workflow,
    nodes: drawer.nodes,
    connectors: drawer.connectors,
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(concurrency === null ? {} : { limits: { concurrencyPerRun: concurrency } }),
  };
}

const mappingsOf = (field: string, mappings: readonly Mapping[] | null): Record<string, Json> =>
  mappings === null
    ? {}
    : {
        [field]: mappings.map(({ to, from, isOptional }) => ({ to, from, ...(isOptional ? { optional: true } : {}) })),
      };

/** Expressions, by what they read. */
const expressions = { size: 'size(context)', slice: '_batch.index', missing: 'context.nowhere' };

const conditions: Readonly<Record<StepOf<'switch'>['condition'], Json>> = {
  even: 'size(context) % 2 == 0',
  hasV: 'has(context.v)',
  hasVAsData: { field: 'context.v', op: 'exists' },
  missing: 'context.nowhere == 1',
  blank: ' ',
};

class Drawer {
  readonly nodes: Json[];
  readonly connectors: Json[] = [];

  constructor(start: Node) {
    this.nodes = [start];
  }

  /** From these outputs through the block; answers with the outputs that leave it. */
  drawBlock(block: Block, from: readonly Loose[]): readonly Loose[] {
    let loose = from;
    for (const step of block) loose = this.#draw(step, loose);
    return loose;
  }

  #draw(step: Step, from: readonly Loose[]): readonly Loose[] {
    switch (step.type) {
      case 'fan':
        return this.#drawFan(step, from);
      case 'batch':
        return this.#drawBatch(step, from);
      case 'switch':
        return this.#drawSwitch(step, from);
      case 'loop':
        return this.#drawLoop(step, from);
      case 'stop':
        return [];
      case 'end':
        this.#add({ id: step.id, type: 'end', ...mappingsOf('mappings', step.mappings) }, from);
        return [];
      case 'edit':
      case 'code':
      case 'work':
      case 'ask':
      case 'gosub':
      case 'stray':
        return this.#add(nodeOf(step), from);
    }
  }

  #add(node: Node, from: readonly Loose[]): readonly Loose[] {
    this.nodes.push(node);
    for (const loose of from) this.connectors.push({ ...loose, to: node.id });
    return [{ from: node.id }];
  }

  /** The connectors stand in another order than the outputs, which is the one that counts. */
  #drawFan({ id, ways, hasLooseOutputs }: StepOf<'fan'>, from: readonly Loose[]): readonly Loose[] {
    const names = ways.map((_, index) => `way${index}`);
    const outputs = hasLooseOutputs ? ['before', ...names.flatMap((name) => [name, `after-${name}`])] : names;
    this.#add({ id, type: 'fanOut', ...(ways.length === 0 ? {} : { outputs }) }, from);
    const last = ways.length - 1;
    const leaving = ways.toReversed().flatMap((way, index) => {
      return this.drawBlock(way, [{ from: id, output: `way${last - index}` }]);
    });
    return this.#add({ id: `${id}in`, type: 'fanIn' }, leaving);
  }

  #drawBatch({ id, items, size, parallel, process }: StepOf<'batch'>, from: readonly Loose[]): readonly Loose[] {
    this.#add({ id, type: 'batch', items, batchSize: size, parallelBatches: parallel }, from);
    if (process) this.drawBlock(process, [{ from: id, output: 'process' }]);
    return [{ from: id, output: 'continue' }];
  }

  #drawSwitch({ id, condition, ways }: StepOf<'switch'>, from: readonly Loose[]): readonly Loose[] {
    const entries = [{ name: 'yes', expression: conditions[condition] }, { name: 'no' }];
    this.#add({ id, type: 'switch', entries }, from);
    const [yes, no] = ways.map((way, index) => this.#drawWay(id, way, index === 0 ? 'yes' : 'no'));
    return [...(yes ?? []), ...(no ?? [])];
  }

  /** The last output of a switch must be connected. */
  #drawWay(id: string, way: Block, output: 'yes' | 'no'): readonly Loose[] {
    return this.drawBlock(way, this.#add({ id: `${id}${output}`, type: 'edit' }, [{ from: id, output }]));
  }

  /** Counted in the context: `loops.<id>`. */
  #drawLoop({ id, times, body }: StepOf<'loop'>, from: readonly Loose[]): readonly Loose[] {
    const path = `loops.${id}`;
    this.#add({ id, type: 'edit', upserts: [{ path, value: 0 }] }, from);
    const up: Node = { id: `${id}up`, type: 'code', path, expression: `context.${path} + 1` };
    const looped = this.#add(up, this.drawBlock(body, this.#add({ id: `${id}head`, type: 'edit' }, [{ from: id }])));
    const entries = [{ name: 'again', expression: `context.${path} < ${times}` }, { name: 'done' }];
    this.#add({ id: `${id}again`, type: 'switch', entries }, looped);
    this.connectors.push({ from: `${id}again`, output: 'again', to: `${id}head` });
    return this.#add({ id: `${id}done`, type: 'edit' }, [{ from: `${id}again`, output: 'done' }]);
  }
}

function nodeOf(step: StepOf<'edit' | 'code' | 'work' | 'ask' | 'gosub' | 'stray'>): Node {
  const { id } = step;
  switch (step.type) {
    case 'edit':
      return { id, type: 'edit', upserts: step.upserts.map((upsert) => ({ ...upsert })), deletes: step.deletes };
    case 'code':
      return { id, type: 'code', path: step.path, expression: expressions[step.source] };
    case 'work':
      return {
        id,
        type: 'action',
        action: 'work',
        ...mappingsOf('inputs', step.inputs),
        ...mappingsOf('outputs', step.outputs),
        ...settingsOf(step.task),
      };
    case 'ask':
      return {
        id,
        type: 'input',
        title: `${id}?`,
        ...(step.deadlineMs === null ? {} : { deadlineMs: step.deadlineMs }),
      };
    case 'gosub':
      return {
        id,
        type: 'gosub',
        workflow: step.child.workflow,
        ...mappingsOf('inputs', step.inputs),
        ...mappingsOf('outputs', step.outputs),
      };
    case 'stray':
      return { id, type: 'fanIn' };
  }
}
