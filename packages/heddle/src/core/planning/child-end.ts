// The end of a sub-run, as its parent hears of it. Rule SW6.

import type { ChildEnded, Reply } from '../commands.ts';
import { failNode, finishNode } from './nodes.ts';
import { type Planning, record } from './planning.ts';
import { judgeChild } from './subworkflow.ts';

export function acceptChildEnd(p: Planning, ended: ChildEnded): Reply {
  // SW9: what a sub-run used counts, also if nobody waits for it any more, and once.
  if (p.state.givenUp.has(ended.childRunId)) {
    const { childRunId, nodesUsed, descendantsUsed } = ended;
    record(p, { type: 'subworkflow.ended_late', childRunId, nodesUsed, descendantsUsed });
    return { applied: true };
  }
  const token = p.state.tokens.get(ended.token);
  // SW6: only the sub-run that the token waits for can end its wait, and once.
  if (token?.childRunId !== ended.childRunId) return { applied: false, reason: 'token does not wait for that run' };
  const verdict = judgeChild(p, token, ended);
  if (verdict.type === 'finish') finishNode(p, token, verdict.output, verdict.facts);
  if (verdict.type === 'fail') failNode(p, token, verdict.failure);
  return { applied: true };
}
