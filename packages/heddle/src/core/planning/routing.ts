// Routing: which transitions a token takes when its node is done. Rules RT….

import type { Failure, Thrown } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { GraphNode, Tier, Transition } from '../../definition/graph.ts';
import type { IterationCounts } from '../events.ts';
import type { Token } from '../state.ts';
import { type Asked, readsOf } from './explain.ts';
import { describeCause, evaluate, shareView } from './mapping.ts';
import { nodeOf, type Planning, traceDecision } from './planning.ts';
import type { Viewpoint } from './scope.ts';

/** How a node ended. */
export type NodeEnd =
  | { readonly type: 'success'; readonly result: Json }
  | { readonly type: 'failure'; readonly failure: Failure; readonly thrown?: Thrown | undefined };

export type Route =
  | { readonly type: 'fire'; readonly transitions: readonly Transition[] }
  /** The path ends here, as it may. */
  | { readonly type: 'end' }
  | { readonly type: 'fail'; readonly failure: Failure };

/** What asking transitions came to, for whoever wants it explained. */
type Asking = Map<Transition, Asked> | null;

export function chooseRoute(p: Planning, token: Token, end: NodeEnd, asked: Asking): Route {
  const node = nodeOf(p, token.node);
  // RT7: a success is offered the ways for success, a failure those for failure; `on: any` is among both.
  const tiers = end.type === 'success' ? node.onSuccess : node.onFailure;
  if (p.trace)
    traceDecision(p, 'decision.routing.start', {
      token: token.id,
      node: node.id,
      outcome: end.type,
      tiers: tiers.length,
    });

  // RT3: a success with no way out ends the path.
  if (end.type === 'success' && tiers.length === 0) return { type: 'end' };

  const { branch } = token;
  const from: Viewpoint =
    end.type === 'success'
      ? { branch, result: end.result, failure: token.lastError ?? token.failure }
      : { branch, result: {}, lastError: end.failure };
  const question: Question = { token, from, asked };
  // RT1: the first tier with a match wins, and all its matches fire.
  for (const tier of tiers) {
    const matched = matchTier(p, tier, question);
    if (!Array.isArray(matched)) return { type: 'fail', failure: matched };
    if (matched.length > 0) return { type: 'fire', transitions: matched };
  }
  // RT8: in dialects whose paths may simply end, a success without a match does.
  if (end.type === 'success' && p.graph.policy.noMatch === 'end') return { type: 'end' };
  // RT4: ways out, but none open: a failure keeps its own error, a success fails.
  return { type: 'fail', failure: end.type === 'failure' ? end.failure : noMatch(node, token) };
}

interface Question {
  readonly token: Token;
  readonly from: Viewpoint;
  readonly asked: Asking;
}

function matchTier(p: Planning, tier: Tier, { token, from, asked }: Question): Transition[] | Failure {
  const transitions: Transition[] = [];
  const shared = shareView(p, from, tier.transitions.length);
  for (const transition of tier.transitions) {
    const exhausted = isExhausted(transition, token.iterations);
    // RT2: a loop at its limit is passed over before its condition is looked at.
    if (exhausted && p.graph.policy.exhaustedLoop === 'pass') {
      asked?.set(transition, { verdict: 'exhausted' });
      continue;
    }
    const holds = conditionHolds(p, transition, shared, asked);
    if (typeof holds !== 'boolean') return holds;
    if (holds && exhausted) return loopExhausted(transition);
    if (holds) transitions.push(transition);
  }
  return transitions;
}

function isExhausted({ id, loop }: Transition, iterations: IterationCounts | null): boolean {
  return loop !== null && (iterations?.[id] ?? 0) >= loop.maxIterations;
}

// RT5: a condition is true or false; anything else, and anything missing, is an error that names it.
function conditionHolds(p: Planning, transition: Transition, from: Viewpoint, asked: Asking): boolean | Failure {
  const { condition } = transition;
  if (!condition) {
    asked?.set(transition, { verdict: 'taken' });
    return true;
  }
  const evaluated = evaluate(p, from, condition);
  const value = 'failure' in evaluated ? undefined : evaluated.value;
  if (p.trace) traceDecision(p, 'decision.routing.condition', { transition: transition.id, value: value ?? null });
  const verdict = typeof value !== 'boolean' ? 'failed' : value ? 'taken' : 'refused';
  asked?.set(transition, { verdict, ...(value === undefined ? {} : { value }), reads: readsOf(p, from, condition) });
  if (typeof value === 'boolean') return value;
  // The message of a failed evaluation ends with the source already.
  const source = 'failure' in evaluated ? '' : ` (${condition.source})`;
  return {
    code: 'CONDITION_FAILED',
    message: `Expected the condition of transition ${transition.id} to be true or false, but ${describeCause(evaluated)}${source}`,
    nodeId: transition.from,
    details: { transition: transition.id, expression: condition.source },
  };
}

// RT9: where a loop must not simply end, one that would be taken beyond its limit fails the path.
function loopExhausted({ id, from, to, loop }: Transition): Failure {
  return {
    code: 'LOOP_EXHAUSTED',
    message: `Expected the loop from node ${from} back to node ${to} to end after ${loop?.maxIterations} rounds, but it would begin another; raise its maxIterations, or end it by another way`,
    nodeId: from,
    details: { transition: id },
  };
}

function noMatch(node: GraphNode, token: Token): Failure {
  const tried = node.onSuccess.flatMap((tier) => tier.transitions);
  const conditions = tried.map(({ id, condition }) => `${id}: ${condition?.source ?? 'no condition'}`);
  const exhausted = tried.filter((t) => isExhausted(t, token.iterations));
  const limits = exhausted.map((t) => `${t.id} has been taken ${t.loop?.maxIterations} times, its limit`);
  // FL12: a loop that is used up names what its author can do.
  const remedy =
    exhausted.length === 0
      ? ''
      : '; raise loop.maxIterations, or add a transition with a higher priority number for what follows the loop';
  return {
    code: 'NO_TRANSITION_MATCHED',
    message: `Expected a transition from node ${node.id} to match, but none did (${[...conditions, ...limits].join('; ')})${remedy}`,
    nodeId: node.id,
    details: { conditions, exhausted: exhausted.map(({ id }) => id) },
  };
}

// RT6: taking a loop counts it, and begins the loops inside it anew.
export function countIteration(iterations: IterationCounts | null, { id, loop }: Transition): IterationCounts | null {
  if (!loop) return iterations;
  const counts: Record<string, number> = { ...iterations, [id]: (iterations?.[id] ?? 0) + 1 };
  for (const inner of loop.resets) delete counts[inner];
  return counts;
}
