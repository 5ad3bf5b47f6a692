// Compiling an expression: the door of this room. Source text to an `Expression`, or to the problem with it.
//
// Always true: `evaluate` never throws, never alters its scope, reads own members only, ends within its cost, and
// its value is JSON. Plain paths and literals, most of what definitions hold, are read without the language.

import type { Evaluation, Expression, ExpressionProblem, Meter, Scope } from './expression.ts';
import type { Frame, Step } from './frame.ts';
import { parseSource } from './parse-source.ts';
import { plainExpression } from './plain.ts';
import { translate } from './translate.ts';
import { countNodes, Translation } from './translation.ts';
import { Fault, Optional, type Outcome, type Value } from './value.ts';

export interface CompileOptions {
  readonly limits: {
    readonly expressionLengthMax: number;
    readonly expressionDepthMax: number;
    readonly expressionCostMax: number;
  };
  /** The names that can be in scope. */
  readonly names: ReadonlySet<string>;
}

export type Compiled = { readonly expression: Expression } | { readonly problem: ExpressionProblem };

export function compileExpression(source: string, options: CompileOptions): Compiled {
  const { expressionLengthMax, expressionDepthMax, expressionCostMax } = options.limits;
  if (source.length > expressionLengthMax) {
    const message = `Expected at most ${expressionLengthMax} characters (expressionLengthMax), but found ${source.length}`;
    return { problem: { code: 'EXPRESSION_LIMIT', message } };
  }
  const plain = plainExpression(source, options.names);
  if (plain) return { expression: plain };
  const parsed = parseSource(source, options.names);
  if ('problem' in parsed) return parsed;
  const translation = new Translation(source, { names: options.names, depthMax: expressionDepthMax });
  const step = translate(parsed.node, translation, 1);
  if (translation.problem) return { problem: translation.problem };
  return { expression: makeExpression(translation, step, { nodes: countNodes(parsed.node), most: expressionCostMax }) };
}

/** What one evaluation costs at least, and at most. */
interface Price {
  readonly nodes: number;
  readonly most: number;
}

function makeExpression({ source, roots, binds }: Translation, step: Step, { nodes, most }: Price): Expression {
  const evaluate = (scope: Scope, meter: Meter = { stepsLeft: most }): Evaluation => {
    const stepsLeft = Math.min(most, meter.stepsLeft) - nodes;
    const frame: Frame = { scope, slots: binds ? [] : noSlots, stepsLeft };
    const evaluation = guarded(step, frame, source);
    // What was refused for its price was not done: no more than all is spent, and a little, so that it shows.
    meter.stepsLeft -= nodes + (frame.stepsLeft >= 0 ? stepsLeft - frame.stepsLeft : stepsLeft + 1);
    return evaluation;
  };
  return { source, roots, evaluate };
}

/** Shared by all expressions that bind nothing, and so never write to it. */
const noSlots: Value[] = [];

/** The last line: what the steps did not foresee (an exhausted stack, a text beyond what the runtime can hold). */
function guarded(step: Step, frame: Frame, source: string): Evaluation {
  try {
    return toEvaluation(step(frame), source);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return failure(`Expected the expression to be evaluated, but ${cause}`, source);
  }
}

const yes: Evaluation = { type: 'value', value: true };
const no: Evaluation = { type: 'value', value: false };

function toEvaluation(outcome: Outcome, source: string): Evaluation {
  if (typeof outcome !== 'object' || outcome === null) {
    if (typeof outcome === 'boolean') return outcome ? yes : no;
    return { type: 'value', value: outcome };
  }
  if (outcome instanceof Fault) return reportFault(outcome, source);
  if (!(outcome instanceof Optional)) return { type: 'value', value: outcome };
  if (outcome.content !== undefined) return { type: 'value', value: outcome.content };
  return { type: 'missing', message: `${shortened(source)} is missing` };
}

function reportFault(fault: Fault, source: string): Evaluation {
  switch (fault.type) {
    case 'missing':
      return { type: 'missing', message: fault.message };
    case 'error':
      return failure(fault.message, source);
    case 'cost': {
      const message = `Expected an evaluation within expressionCostMax, but ${fault.message}, in ${shortened(source)}`;
      return { type: 'error', code: 'EXPRESSION_COST', message };
    }
  }
}

function failure(message: string, source: string): Evaluation {
  return { type: 'error', code: 'EXPRESSION_FAILED', message: `${message}, in ${shortened(source)}` };
}

function shortened(source: string): string {
  return source.length > 200 ? `${source.slice(0, 200)}…` : source;
}
