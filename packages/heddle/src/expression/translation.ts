// Translation: what is known while one syntax tree becomes steps. The names in scope, the variables bound around the
// current node, the roots read so far, and the leftmost problem.
//
// Always true: after a problem the steps made are never run.

import type { ExpressionProblem } from './expression.ts';
import type { Step } from './frame.ts';
import type { Node } from './parse-source.ts';

export class Translation {
  readonly source: string;
  readonly names: ReadonlySet<string>;
  readonly depthMax: number;
  readonly roots = new Set<string>();
  /** Bound variables from outer to inner; the position is the slot. */
  readonly bound: string[] = [];
  binds = false;
  problem: ExpressionProblem | null = null;

  constructor(source: string, options: { readonly names: ReadonlySet<string>; readonly depthMax: number }) {
    this.source = source;
    this.names = options.names;
    this.depthMax = options.depthMax;
  }

  /** The source of a node, for messages. */
  textOf(node: Node): string {
    return this.source.slice(node.start, Math.min(node.end, node.start + 200));
  }

  refuse(node: Node, problem: Omit<ExpressionProblem, 'position'>): Step {
    const isFirst = node.start < (this.problem?.position ?? Number.POSITIVE_INFINITY);
    if (isFirst) this.problem = { ...problem, position: node.start };
    return () => null;
  }

  /** Translates with one more variable bound, and gives its slot. */
  bind(name: string, translate: () => Step): { readonly slot: number; readonly body: Step } {
    const slot = this.bound.push(name) - 1;
    this.binds = true;
    const body = translate();
    this.bound.pop();
    return { slot, body };
  }
}

/** How nodes are translated: handed to the files that translate one kind of node, so that they need not import it. */
export type Translate = (node: Node, translation: Translation, depth: number) => Step;

/** `f(x, y)` and `x.f(y)` alike: the receiver is the first argument. */
export interface Call {
  readonly node: Node;
  readonly name: string;
  readonly args: readonly Node[];
}

/** How many nodes an evaluation of this one visits at most, loops counted once. */
export function countNodes(root: Node): number {
  const pending: Node[] = [root];
  let count = 0;
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    count++;
    for (const child of childrenOf(node)) pending.push(child);
  }
  return count;
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case '!_':
    case '-_':
      return [node.args];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case 'list':
    case '?:':
      return node.args;
    case '[]':
    case '[?]':
    case '||':
    case '&&':
    case '==':
    case '!=':
    case 'in':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return node.args;
  }
}
