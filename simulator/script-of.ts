// ScriptOf: a workload as the world takes it: one worker that answers as the workload says.

import { given } from '../packages/heddle/src/base/given.ts';
import type { ActionContext, ActionFunction } from '../packages/heddle/src/executor/action.ts';
import { ActionError } from '../packages/heddle/src/executor/action-error.ts';
import type { Script } from '../packages/heddle/src/simulation/play.ts';
import type { Answer, Workload } from './workload.ts';

/** Of the runs that a world starts, the first and every so many-th after it are traced. */
const tracedEvery = 3;

export function scriptOf(workload: Workload): Script {
  const { definitions, starts, outsideEvents = [], preparations = [], requests = [], retryKeys } = workload;
  const answerOf = (action: string, { input, attempt, nodeId, workflow, runId, tokenId }: ActionContext): Answer =>
    workload.answer({ action, input, attempt, nodeId, workflow, runId, tokenId });
  const perform = (action: string) => (context: ActionContext) => {
    const answer = answerOf(action, context);
    if (answer.type === 'complete') return answer.output;
    const { message, code, retryable } = answer;
    throw new ActionError(message, { code, retryable });
  };
  const prepared = (act: ActionFunction): ActionFunction =>
    workload.prepare ? async (context) => workload.prepare?.(context).then(() => act(context)) : act;
  return {
    definitions,
    starts: starts.map((start, index) => ({ ...start, trace: index % tracedEvery === 0 })),
    outsideEvents,
    preparations,
    requests,
    actions: Object.fromEntries(workload.actions.map((name) => [name, prepared(perform(name))])),
    delayOf: (action, context) => answerOf(action, context).delayMs,
    reply: (prompt) => workload.reply?.(prompt) ?? {},
    hasMeddlers: true,
    ...given({ retryKeys }),
  };
}
