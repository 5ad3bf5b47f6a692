// Compiles a program to a definition of the token dialect.

import type {
  Definition,
  NodeDefinition,
  TransitionDefinition,
} from '../../packages/heddle/src/definition/definition.ts';
import {
  type Around,
  batchMergeOf,
  conditionOf,
  type Link,
  spawnFields,
  synchronizationOf,
  toleranceFields,
  workNode,
} from './compile-fields.ts';
import type {
  Arm,
  Batch,
  Block,
  Choice,
  Dag,
  DagNode,
  Fan,
  Fork,
  Loop,
  Program,
  Rescue,
  Rounds,
  Twins,
} from './program.ts';

/** A way out of a block: the node that it leaves, and what the transition will say beside where it leads. */
type LooseEnd = readonly [from: string, link: Link];

interface Part {
  readonly entry: string;
  readonly exits: readonly LooseEnd[];
}

const outermost: Around = { isInGroup: false, isInForeach: false, list: null, fans: new Map() };

export function compileProgram({ workflow, body, timeoutMs, inputPolicy, refuses }: Program): Definition {
  const drawing = new Drawing();
  const begin = drawing.node({ id: 'begin', outputMapping: { 'state.x': 'input.x' } });
  drawing.link([begin, {}], drawing.block(body, outermost).entry);
  return {
    id: workflow,
    initialNode: 'begin',
    nodes: drawing.nodes,
    transitions: drawing.transitions,
    outputMapping: { x: 'state.x', y: 'output.x' },
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(inputPolicy === 'open' ? {} : { inputPolicy }),
    ...(refuses ? { inputSchema: { type: 'object', required: ['nothing'] } } : {}),
  };
}

class Drawing {
  readonly nodes: NodeDefinition[] = [];
  readonly transitions: TransitionDefinition[] = [];

  node(node: NodeDefinition): string {
    this.nodes.push(node);
    return node.id;
  }

  link([from, link]: LooseEnd, to: string, more: Link = {}): void {
    this.transitions.push({ from, to, ...link, ...more });
  }

  block(block: Block, around: Around): Part {
    switch (block.type) {
      case 'task':
      case 'call':
      case 'prompt':
      case 'listen':
        return this.#single(workNode(block, around));
      case 'pass':
        return this.#single({ id: block.node });
      case 'stop':
        return { entry: this.node({ id: block.node }), exits: [] };
      case 'wait':
        return this.#single({ id: block.node, wait: block.ms < 0 ? { until: 1 } : { seconds: block.ms / 1_000 } });
      case 'leap':
        return this.#leap(block, around);
      case 'sequence':
        return this.#sequence(block.blocks, around);
      case 'choice':
        return this.#choice(block, around);
      case 'rescue':
        return this.#rescue(block, around);
      case 'loop':
        return this.#loop(block, around);
      case 'fork':
        return this.#fork(block, around);
      case 'batch':
        return this.#batch(block, around);
      case 'dag':
        return this.#dag(block, around);
      case 'fan':
        this.node({ id: block.node });
        return this.#fan(block, around);
      case 'twins':
        return this.#twins(block, around);
      case 'rounds':
        return this.#rounds(block, around);
    }
  }

  #single(node: NodeDefinition): Part {
    return single(this.node(node));
  }

  #leap({ node, to }: Extract<Block, { type: 'leap' }>, { fans }: Around): Part {
    const fan = fans.get(to);
    this.node({ id: node });
    if (fan?.join) this.link([node, {}], fan.join, { synchronization: synchronizationOf(fan) });
    return { entry: node, exits: [] };
  }

  #sequence(blocks: readonly Block[], around: Around): Part {
    const parts = blocks.map((block) => this.block(block, around));
    for (const [index, { exits }] of parts.entries()) {
      const next = parts[index + 1];
      if (next) for (const exit of exits) this.link(exit, next.entry);
    }
    return { entry: parts[0]?.entry ?? '', exits: parts.at(-1)?.exits ?? [] };
  }

  #choice({ node, ways }: Choice, around: Around): Part {
    this.node({ id: node });
    const exits = ways.flatMap(({ on, body }, index) => {
      const part = this.block(body, around);
      this.link([node, { ...conditionOf(on), priority: index + 1 }], part.entry);
      return part.exits;
    });
    return { entry: node, exits };
  }

  #rescue({ tried, on, handler }: Rescue, around: Around): Part {
    const entry = this.node(workNode(tried, around));
    const rest = this.block(handler, around);
    const condition = on === 'coded' ? { condition: 'state._last_error.code == "BOOM"' } : {};
    this.link([entry, { on: on === 'any' ? 'any' : 'failure', ...condition }], rest.entry);
    return { entry, exits: on === 'any' ? rest.exits : [[entry, {}], ...rest.exits] };
  }

  #loop({ turn, done, times, on, body }: Loop, around: Around): Part {
    const inside = this.block(body, around);
    this.node({ id: turn });
    this.node({ id: done });
    for (const exit of inside.exits) this.link(exit, turn);
    this.link([turn, { ...conditionOf(on), priority: 1, loop: { maxIterations: times } }], inside.entry);
    this.link([turn, { priority: 2 }], done);
    return { entry: inside.entry, exits: [[done, {}]] };
  }

  #fork({ node, side, main }: Fork, around: Around): Part {
    this.node({ id: node });
    this.link([node, {}], this.block(side, around).entry);
    const { entry, exits } = this.block(main, around);
    this.link([node, {}], entry);
    return { entry: node, exits };
  }

  #batch(batch: Batch, around: Around): Part {
    const { node, list, items, batchSize, parallelBatches, merge, hasTarget, tolerance, ways } = batch;
    const target = hasTarget ? { target: 'state.merged' } : {};
    this.node({ id: list, ...(items === null ? {} : { outputMapping: { [`state.${list}`]: JSON.stringify(items) } }) });
    this.node({
      id: node,
      batch: {
        items: `state.${list}`,
        batchSize,
        parallelBatches,
        ...(merge === null ? {} : { merge: { ...batchMergeOf(merge), ...target } }),
      },
      outputMapping: { 'state.x': 'result' },
    });
    this.link([list, {}], node);
    for (const way of ways) {
      const { entry } = this.block(way, { ...around, isInGroup: true, list, fans: new Map() });
      this.link([node, { on: 'slice', ...toleranceFields(tolerance) }], entry);
    }
    return { entry: list, exits: [[node, {}]] };
  }

  #dag({ nodes }: Dag, around: Around): Part {
    for (const node of nodes) this.node(dagNode(node, nodes, around));
    for (const { work, from, require } of nodes) {
      for (const { index, after, on } of from) {
        const source = nodes[index]?.work.node ?? '';
        const link = { ...conditionOf(on), ...(after === 'success' ? {} : { on: after }) };
        this.link([source, link], work.node, { synchronization: { over: 'edges', require } });
      }
    }
    return { entry: nodes[0]?.work.node ?? '', exits: [[nodes.at(-1)?.work.node ?? '', {}]] };
  }

  #twins({ side, main, meeting }: Twins, around: Around): Part {
    this.node({ id: main.node });
    const parts = [this.#fan(side, around), this.#fan(main, around)];
    if (meeting === null) return { entry: main.node, exits: parts[1]?.exits ?? [] };
    const { task, require } = meeting;
    this.node(workNode(task, around));
    for (const exit of parts.flatMap(({ exits }) => exits))
      this.link(exit, task.node, { synchronization: { over: 'edges', require } });
    return { entry: main.node, exits: [[task.node, {}]] };
  }

  #rounds({ fan, times }: Rounds, around: Around): Part {
    const { node, join, arms } = fan;
    this.node({ id: node });
    this.node({ id: join ?? '' });
    const synchronization = synchronizationOf(fan);
    for (const arm of arms) {
      const { entry, exits } = this.#arm(fan, arm, around);
      this.link([node, { ...spawnFields(arm.spawn), ...groupFields(fan) }], entry, { emptyJoin: join ?? '' });
      for (const exit of exits) {
        this.link(exit, node, { synchronization, priority: 1, loop: { maxIterations: times } });
        this.link(exit, join ?? '', { synchronization, priority: 2 });
      }
    }
    return { entry: node, exits: [[join ?? '', {}]] };
  }

  #fan(fan: Fan, around: Around): Part {
    const { node, join, arms, side, isNamed } = fan;
    if (join !== null) this.node({ id: join });
    const fans = isNamed && join !== null ? new Map(around.fans).set(node, fan) : around.fans;
    for (const arm of arms) {
      const { entry, exits } = this.#arm(fan, arm, { ...around, fans });
      this.link([node, { ...groupFields(fan), ...spawnFields(arm.spawn) }], entry);
      for (const exit of exits) if (join !== null) this.link(exit, join, { synchronization: synchronizationOf(fan) });
    }
    if (side !== null) this.link([node, {}], this.block(side, around).entry);
    return { entry: node, exits: join === null ? [] : [[join, {}]] };
  }

  /** What each of its branches does. */
  #arm(fan: Fan, { spawn, part, ways, echo }: Arm, around: Around): Part {
    const { join } = fan;
    const isInForeach = around.isInForeach || spawn.type === 'items' || spawn.type === 'broken';
    const inside = { ...around, isInGroup: true, isInForeach };
    if (part !== null) this.node({ id: part });
    const parts = ways.map((way) => this.block(way, inside));
    for (const { entry } of parts) if (part !== null) this.link([part, {}], entry);
    if (part !== null && echo !== null) {
      const last = this.node(workNode(echo.last, inside));
      const source = this.node(workNode(echo.source, inside));
      this.link([part, {}], source);
      this.link([source, {}], last, { synchronization: { over: 'edges' } });
      // A join that cannot fail never leads there, and in a branch it never runs.
      const canFail = fan.quorum !== null || (fan.timeoutMs !== null && !fan.proceeds);
      if (join !== null && !canFail) this.link([join, { on: 'failure' }], last, { synchronization: { over: 'edges' } });
    }
    return { entry: part ?? parts[0]?.entry ?? '', exits: parts.flatMap(({ exits }) => exits) };
  }
}

function groupFields({ group, tolerance }: Fan): Link {
  return { ...(group === null ? {} : { siblingGroup: group }), ...toleranceFields(tolerance) };
}

/** It reads what those that lead to it have made, and keeps what it makes for those that it leads to. */
function dagNode({ work, from }: DagNode, nodes: readonly DagNode[], around: Around): NodeDefinition {
  if (work.type === 'pass') return { id: work.node };
  const seen = from.map(({ index }): [string, string] => {
    const id = nodes[index]?.work.node ?? '';
    return [`seen.${id}`, `state.${id}`];
  });
  const { outputMapping, ...node } = workNode(work, around, Object.fromEntries(seen));
  return { ...node, outputMapping: { ...outputMapping, [`state.${work.node}`]: 'result.value' } };
}

const single = (node: string): Part => ({ entry: node, exits: [[node, {}]] });
