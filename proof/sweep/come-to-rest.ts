// ComeToRest: the world goes on until nothing is left to do: workers answer, people answer, time passes, and at last the
// callers give their last orders.

import { never } from './shape.ts';
import type { Stage } from './stage.ts';

const stepsMax = 400;
const hourMs = 3_600_000;

export async function comeToRest(stage: Stage): Promise<void> {
  const { finish, restMs = hourMs } = stage.shape;
  let isLast = finish === undefined;
  for (let step = 0; step < stepsMax; step++) {
    await stage.settle();
    if (giveNext(stage) || (await replyNext(stage)) || (await stage.passToNext(restMs))) continue;
    if (isLast) return;
    isLast = true;
    await finish?.(stage);
  }
  throw new Error(`Expected the runs to come to rest within ${stepsMax} steps, but they did not`);
}

function giveNext(stage: Stage): boolean {
  return stage.workers.calls.some((call) => stage.workers.give(call));
}

async function replyNext({ shape, engine }: Stage): Promise<boolean> {
  if (!shape.reply) return false;
  for (const prompt of await engine.prompts()) {
    const payload = shape.reply(prompt);
    if (payload === never) continue;
    await engine.run(prompt.rootRunId).reply(prompt.correlationId, payload);
    return true;
  }
  return false;
}
