// Throw trial: whatever an action throws, or a node type or an executor returns or throws, becomes a failure of its task with a
// code and a message that can be journaled, or a result that can; and nothing else. Rules EX9, DA38 and HN31.

import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { type Parcel, type Stage, takeStage } from '../api/stage.ts';
import { describeError, show, type Trial } from '../trial.ts';
import { deepValues, hostileValues } from './hostile-values.ts';

export async function makeThrowTrial(dice: Dice): Promise<Trial> {
  const stage = await takeStage();
  const value = drawThrown(dice);
  const workflow = dice.pick(['give', 'give-dataflow', 'give-handle'] as const);
  const isThrown = workflow === 'give' || dice.chance(1, 2);
  return {
    input: () => `in ${workflow} ${show(value)} is ${isThrown ? 'thrown' : 'returned'}`,
    check: () => check(stage, workflow, { value, isThrown }),
  };
}

const members: readonly [string, ...string[]] = [
  'code',
  'message',
  'details',
  'retryable',
  'retryAfterMs',
  'retryAfter',
  'headers',
  'name',
  'stack',
  'cause',
];

/** Something hostile itself, or an error with something hostile in a member that is looked at. */
function drawThrown(dice: Dice): unknown {
  const hostile = (): unknown => {
    if (dice.chance(1, 6)) return dice.pick(deepValues)?.make();
    if (dice.chance(1, 3)) return dice.pick(['', 'x'.repeat(20_000), 'A_CODE', '\u0000\ud800', -1, 1e300, null, true]);
    return dice.pick(hostileValues)?.make();
  };
  if (dice.chance(1, 3)) return hostile();
  // Made without a stack, which tools would compute from its members.
  const error = Object.assign(Object.create(Error.prototype) as Error, { message: 'no' });
  for (let count = dice.between(1, 3); count > 0; count--) {
    Object.defineProperty(error, dice.pick(members), { value: hostile(), enumerable: true, configurable: true });
  }
  return error;
}

async function check(stage: Stage, workflow: string, parcel: Parcel): Promise<string | null> {
  stage.parcels.push(parcel);
  const run = await stage.engine.start(workflow);
  const { status, error, output } = await run.result();
  const wasTaken = status === 'completed' && !parcel.isThrown;
  if (wasTaken) return JSON.stringify(output).length < 50_000 ? null : 'Expected a result of bounded size';
  if (workflow === 'give-dataflow' && error?.code === 'NODES_FAILED') return null;
  const isRight = status === 'failed' && /^[A-Z0-9_]{1,100}$/.test(error?.code ?? '') && error?.nodeId === 'give';
  if (!isRight) return `Expected the run to fail with a code, but it is ${status}: ${show(error)}`;
  if (typeof error.message !== 'string' || error.message === '' || error.message.length > 4_000)
    return `Expected a message, but found ${show(error)}`;
  if (stage.errors.length > 0) return `Expected nothing to break, but found ${describeError(stage.errors.pop())}`;
  return JSON.stringify(error).length < 100_000 ? null : 'Expected a failure of bounded size';
}
