// Drawing: what the checks know of a workflow, read from the definition that its runs have pinned, as data. Names of
// transitions, joins and groups are worked out here once more: a second reading, which shares nothing with the compiler.
//
// Always true: the definition is one that was stored, so that it has passed every check of the engine.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { findPlainLoops, type PlainLoop } from '../../packages/heddle/src/core/edge-loops.testsuite.ts';
import type { SiblingSynchronization } from '../../packages/heddle/src/definition/definition.ts';
import type { Policy, SchemaCheck } from '../../packages/heddle/src/definition/graph.ts';
import { defaultLimits, type Limits } from '../../packages/heddle/src/definition/limits.ts';
import type { Lowered, LoweredNode, LoweredTransition } from '../../packages/heddle/src/definition/lowered.ts';
import { compileCheck } from '../../packages/heddle/src/definition/schema.ts';
import { lowerDefinition, type NormalDefinition } from '../../packages/heddle/src/dialects/dialect.ts';
import { compileExpression } from '../../packages/heddle/src/expression/compile.ts';
import type { Expression } from '../../packages/heddle/src/expression/expression.ts';

export type NodeKind = 'pass' | 'action' | 'workflow' | 'wait' | 'event' | 'input' | 'batch';

export interface DrawnNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly source: LoweredNode;
  /** The transitions that the slices of a batch take. */
  readonly slices: DrawnTransition[];
}

export interface DrawnTransition {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly priority: number;
  readonly on: 'success' | 'failure' | 'any' | 'slice';
  /** The group that taking it opens. */
  readonly opens: string | null;
  readonly join: DrawnJoin | null;
  readonly overEdges: boolean;
  readonly source: LoweredTransition;
}

export interface DrawnJoin {
  readonly id: string;
  readonly node: string;
  /** Null: the innermost group. */
  readonly group: string | null;
  readonly source: SiblingSynchronization;
}

export interface DrawnEdgeJoin {
  readonly node: string;
  readonly requiresAll: boolean;
  readonly inbound: readonly DrawnTransition[];
}

export class Drawing {
  readonly definition: Lowered;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly nodes = new Map<string, DrawnNode>();
  readonly transitions = new Map<string, DrawnTransition>();
  readonly joins = new Map<string, DrawnJoin>();
  readonly edgeJoins = new Map<string, DrawnEdgeJoin>();
  readonly #leaving = new Map<string, DrawnTransition[]>();
  readonly #tiers = new Map<string, readonly (readonly DrawnTransition[])[]>();
  readonly #ends = new Map<string, readonly string[]>();
  readonly #loops = new Map<string | null, readonly PlainLoop[]>();
  readonly #expressions = new Map<string, Expression>();
  #namesInScope: ReadonlySet<string> | null = null;
  readonly #schemas = new Map<string, SchemaCheck | null>();

  constructor(stored: Json, engineLimits: Partial<Limits> = {}) {
    this.definition = lowerDefinition(stored as unknown as NormalDefinition); // it was stored
    this.limits = lowerLimits({ ...defaultLimits, ...engineLimits }, this.definition.limits ?? {});
    this.policy = policyOf(this.definition, this.limits);
    for (const node of this.definition.nodes)
      this.nodes.set(node.id, { id: node.id, kind: kindOf(node), source: node, slices: [] });
    const taken = new Set((this.definition.transitions ?? []).flatMap(({ id }) => (id === undefined ? [] : [id])));
    for (const transition of this.definition.transitions ?? []) this.#add(transition, taken);
  }

  #add(source: LoweredTransition, taken: Set<string>): void {
    const { from, to, synchronization, on = 'success', priority = 1 } = source;
    const overEdges = synchronization !== undefined && 'over' in synchronization;
    const join = synchronization === undefined || overEdges ? null : this.#joinAt(to, synchronization);
    const id = source.id ?? freeName(`${from}->${to}`, taken);
    const drawn: DrawnTransition = { id, from, to, priority, on, opens: openedBy(source), join, overEdges, source };
    taken.add(id);
    this.transitions.set(id, drawn);
    if (on === 'slice') this.nodes.get(from)?.slices.push(drawn);
    const leaving = this.#leaving.get(from);
    if (leaving) leaving.push(drawn);
    else this.#leaving.set(from, [drawn]);
    if (!overEdges) return;
    const requiresAll = 'over' in synchronization && synchronization.require === 'all';
    const { inbound = [] } = this.edgeJoins.get(to) ?? {};
    this.edgeJoins.set(to, { node: to, requiresAll, inbound: [...inbound, drawn] });
  }

  #joinAt(node: string, source: SiblingSynchronization | { readonly over: 'edges' }): DrawnJoin {
    const sibling = source as SiblingSynchronization; // not over edges
    const group = sibling.siblingGroup ?? null;
    const id = group === null ? escaped(node) : `${escaped(node)}/${escaped(group)}`;
    const join = this.joins.get(id) ?? { id, node, group, source: sibling };
    this.joins.set(id, join);
    return join;
  }

  get countsNodes(): boolean {
    return this.edgeJoins.size > 0;
  }

  /** No other join can act for groups of this name: what cannot be met at it is known before anybody arrives. */
  isOnlyJoin({ id }: DrawnJoin, group: string): boolean {
    for (const other of this.joins.values())
      if (other.id !== id && (other.group === null || other.group === group)) return false;
    return true;
  }

  leaving(node: string): readonly DrawnTransition[] {
    return this.#leaving.get(node) ?? [];
  }

  /** The nodes at which the branch can resume that opened a group: those of joins over it that its branches can come to. */
  endsOf(node: string, group: string): readonly string[] {
    const key = JSON.stringify([node, group]);
    const known = this.#ends.get(key) ?? this.#findEnds(node, group);
    this.#ends.set(key, known);
    return known;
  }

  #findEnds(node: string, group: string): readonly string[] {
    const ways = new Set(this.leaving(node).filter(({ opens }) => opens === group));
    for (const { to } of ways) for (const way of this.leaving(to)) if (way.on !== 'slice') ways.add(way);
    const joined = [...ways].filter(({ join }) => join !== null && (join.group ?? group) === group);
    return [...new Set(joined.map(({ to }) => to))];
  }

  /** The loops that go back to edge joins, for branches of a group, or of none. */
  loopsIn(own: string | null, staysIn: (way: DrawnTransition) => boolean): readonly PlainLoop[] {
    const known = this.#loops.get(own);
    if (known) return known;
    const links = [...this.transitions.values()].flatMap((way) => {
      const { id, from, opens, overEdges, source } = way;
      const ends = opens === null ? (staysIn(way) ? [way.to] : []) : this.endsOf(from, opens);
      const loop = overEdges && opens === null && source.loop !== undefined ? id : null;
      return ends.map((to) => ({ from, to, loop }));
    });
    const loops = findPlainLoops([...this.nodes.keys()], links);
    this.#loops.set(own, loops);
    return loops;
  }

  /** The transitions that leave a node by an outcome, as tiers of one priority, in order. */
  tiersOf(node: string, outcome: 'success' | 'failure'): readonly (readonly DrawnTransition[])[] {
    const key = `${outcome} ${node}`;
    const known = this.#tiers.get(key);
    if (known) return known;
    const open = (this.#leaving.get(node) ?? []).filter(({ on }) => on === outcome || on === 'any');
    const priorities = [...new Set(open.map(({ priority }) => priority))].toSorted((one, other) => one - other);
    const tiers = priorities.map((priority) => open.filter((transition) => transition.priority === priority));
    this.#tiers.set(key, tiers);
    return tiers;
  }

  /** What the transitions that open one group say of it: one word is enough for all. */
  settingsOf({ from, priority, opens }: DrawnTransition): { tolerates: boolean; maxFailures: number | null } {
    let tolerates = false;
    let maxFailures: number | null = null;
    for (const other of this.#leaving.get(from) ?? []) {
      if (other.opens !== opens || other.priority !== priority) continue;
      tolerates ||= other.source.onBranchFailure === 'end';
      maxFailures ??= other.source.maxFailures ?? null;
    }
    return { tolerates, maxFailures };
  }

  expression(source: string): Expression {
    const known = this.#expressions.get(source);
    if (known) return known;
    const compiled = compileExpression(source, { limits: this.limits, names: this.#names });
    if (!('expression' in compiled)) throw new Error(`Expected a checked expression, but "${source}" is none`);
    this.#expressions.set(source, compiled.expression);
    return compiled.expression;
  }

  get #names(): ReadonlySet<string> {
    this.#namesInScope ??= new Set([
      ...namesInScope,
      ...[...this.transitions.values()].flatMap(({ source }) => source.foreach?.itemVar ?? []),
    ]);
    return this.#namesInScope;
  }

  /** The checks of the definition's own schemas; null where it has none. */
  schema(which: 'inputSchema' | 'stateSchema' | 'outputSchema'): SchemaCheck | null {
    const known = this.#schemas.get(which);
    if (known !== undefined) return known;
    const schema = this.definition[which];
    const isOfKeys = which === 'stateSchema' && typeof schema === 'object';
    const check = compileCheck(isOfKeys ? { ...schema, ...asksForNoKey } : schema);
    this.#schemas.set(which, check);
    return check;
  }

  /** What an answer to the prompt of a node must look like. */
  answerSchema({ id, source }: DrawnNode): SchemaCheck | null {
    const known = this.#schemas.get(`/${id}`);
    if (known !== undefined) return known;
    const check = typeof source.input === 'object' ? compileCheck(source.input.schema) : null;
    this.#schemas.set(`/${id}`, check);
    return check;
  }
}

const namesInScope = [
  'input',
  'state',
  'output',
  'result',
  'context',
  'nodes',
  '_branch',
  '_batch',
  '_trigger',
  'item',
];

/** The state is asked about one written key at a time. */
const asksForNoKey = { required: [], minProperties: 0, dependentRequired: {} };

function kindOf({ action, workflow, wait, input, batch }: LoweredNode): NodeKind {
  if (action !== undefined) return 'action';
  if (workflow !== undefined) return 'workflow';
  if (wait !== undefined) return 'event' in wait ? 'event' : 'wait';
  if (input !== undefined) return 'input';
  return batch === undefined ? 'pass' : 'batch';
}

function policyOf({ policy, inputPolicy }: Lowered, { handleNodesMax }: Limits): Policy {
  const tasksMax = policy.oneAtATime ? Math.min(policy.tasksMax ?? handleNodesMax, handleNodesMax) : null;
  return { ...policy, inputPolicy: inputPolicy ?? policy.inputPolicy, tasksMax };
}

function lowerLimits(engine: Limits, own: Readonly<Record<string, number>>): Limits {
  const lowered: Record<string, number> = { ...engine };
  for (const [name, limit] of Object.entries(own)) lowered[name] = Math.min(lowered[name] ?? limit, limit);
  return lowered as unknown as Limits; // the same names
}

function openedBy({ siblingGroup, foreach, spawnCount = 1, from }: LoweredTransition): string | null {
  if (siblingGroup !== undefined) return siblingGroup;
  return foreach !== undefined || spawnCount > 1 ? from : null;
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The name, or the name with the first number from 2 on that is free. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name}#${number}`)) return `${name}#${number}`;
}
