// Credits: what nodes cost is reserved before they run. Rules CR1, CR2 and CR4. What the ledger answers is in `credit-answer.ts`.

import type { Token } from '../state.ts';
import { nodeOf, type Planning, record, request, runOf } from './planning.ts';

/** CR1: where credits are reserved for the whole run, it begins when they are granted. Answers whether it waits. */
export function reserveRun(p: Planning): boolean {
  const { reserve = 0, organization } = runOf(p);
  if (organization === undefined || reserve <= 0) return false;
  record(p, { type: 'credits.requested', amount: reserve });
  chargeRun(p);
  return true;
}

export function chargeRun(p: Planning): void {
  const { reserve = 0, organization = '', runId } = runOf(p);
  request(p, { type: 'charge', charge: { type: 'reserve', runId, organization, amount: reserve } });
}

/** CR2: elsewhere each node that costs something waits for its own, once, whatever its attempts. Answers whether it waits. */
export function reserveNode(p: Planning, token: Token): boolean {
  const { organization } = runOf(p);
  const { cost } = nodeOf(p, token.node);
  if (organization === undefined || cost <= 0 || token.paid !== null || p.graph.policy.charge === 'run') return false;
  record(p, { type: 'credits.requested', token: token.id, amount: cost });
  chargeNode(p, token);
  return true;
}

export function chargeNode(p: Planning, { id: token, node }: Token): void {
  const { organization = '', runId } = runOf(p);
  const { cost: amount } = nodeOf(p, node);
  request(p, { type: 'charge', charge: { type: 'reserve', runId, organization, token, amount } });
}

/** CR4: a run that ends gives back what it reserved and did not spend. */
export function settleCredits(p: Planning): void {
  const { organization, runId } = runOf(p);
  const { requested, spent } = p.state.credits;
  if (organization === undefined || requested === 0) return;
  request(p, { type: 'charge', charge: { type: 'settle', runId, organization, spent } });
}
