// The end of a sub-run, as its parent hears of it. Rule SW6.

import type { ChildEnded, Reply } from '../commands.ts';
import { holdCommand } from './lifecycle.ts';
import { failNode, finishNode } from './nodes.ts';
import { isHolding, type Planning, record } from './planning.ts';
import { judgeChild } from './subworkflow.ts';

export function acceptChildEnd(p: Planning, ended: ChildEnded & { readonly at: number }): Reply {
  const isLate = p.state.givenUp.has(ended.childRunId);
  const token = p.state.tokens.get(ended.token);
  // SW6: only the sub-run that the token waits for can end its wait, and once.
  if (!isLate && token?.childRunId !== ended.childRunId)
    return { applied: false, reason: 'token does not wait for that run' };
  if (isHolding(p)) return holdCommand(p, ended);
  // SW9: what a sub-run used counts, also if nobody waits for it any more, and once.
  if (isLate || !token) {
    const { childRunId, nodesUsed, descendantsUsed } = ended;
    record(p, { type: 'subworkflow.ended_late', childRunId, nodesUsed, descendantsUsed });
    return { applied: true };
  }
  const verdict = judgeChild(p, token, ended);
  if (verdict.type === 'finish') finishNode(p, token, verdict.output, verdict.facts);
  if (verdict.type === 'fail') failNode(p, token, verdict.failure);
  return { applied: true };
}
