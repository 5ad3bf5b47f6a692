// The ledger's answer: a run begins, a task may be handed out, or the run ends for want of credits. Rule CR3.

import type { Failure } from '../../base/failure.ts';
import type { CreditAnswer, Reply } from '../commands.ts';
import type { Token } from '../state.ts';
import { beginRun, endRun, holdCommand } from './lifecycle.ts';
import { isHolding, type Planning, record, runOf } from './planning.ts';

export function acceptCredits(p: Planning, answer: CreditAnswer & { readonly at: number }): Reply {
  const token = answer.token === undefined ? null : p.state.tokens.get(answer.token);
  const awaited = token === null ? p.state.credits.awaited : token?.status === 'waiting_for_credits';
  if (!awaited) return { applied: false, reason: 'credits were not awaited' };
  if (isHolding(p)) return holdCommand(p, answer);
  const { amount } = answer;
  if (!answer.granted) {
    endRun(p, { type: 'workflow.exhausted', at: p.at, error: exhausted(p, token ?? null, answer) });
    return { applied: true };
  }
  record(p, { type: 'credits.granted', amount, ...(token ? { token: token.id } : {}) });
  if (!token) beginRun(p);
  return { applied: true };
}

/** CR3: without enough credits the run ends as exhausted, and says what was missing. */
function exhausted(p: Planning, token: Token | null, { amount, balance }: CreditAnswer): Failure {
  const what = token ? `node ${token.node}` : `workflow ${p.graph.id}`;
  return {
    code: 'CREDITS_EXHAUSTED',
    message: `Expected ${amount} credits of organization ${runOf(p).organization} for ${what}, but it has ${balance}`,
    ...(token ? { nodeId: token.node } : {}),
    details: { amount, balance },
  };
}
