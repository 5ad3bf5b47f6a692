// Core actions: built in, so that a definition runs with no code of its own.

import type { Clock } from '../../actor/ports.ts';
import { isErrorCode } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { CoreAction } from '../../definition/built-in-actions.ts';
import type { Action, ActionContext } from '../action.ts';
import { ActionError } from '../action-error.ts';

/** The longest that one timer of any runtime can be set for; a longer pause is a `wait` node's, which is durable. */
const sleepMsMax = 2_147_483_647;

// EX16: core.echo returns its input, core.fail fails as told, core.flaky at first, core.sleep after a while does not.
export function makeCoreActions(clock: Clock): Readonly<Record<CoreAction, Action>> {
  return {
    'core.echo': ({ input }) => input,
    'core.fail': fail,
    'core.flaky': failAtFirst,
    'core.sleep': (context) => sleep(context, clock),
  };
}

function fail({ input }: ActionContext): never {
  const { message = 'Expected nothing else, but core.fail was called', code = 'ACTION_FAILED' } = input;
  if (typeof message !== 'string') throw invalid('core.fail', '"message" to be a text', message);
  if (!isErrorCode(code)) throw invalid('core.fail', '"code" to be 1 to 200 printable characters without spaces', code);
  throw new ActionError(message, { code });
}

function failAtFirst({ input, attempt }: ActionContext): JsonObject {
  const { failures = 0, ...rest } = input;
  if (typeof failures !== 'number') throw invalid('core.flaky', '"failures" to be a number', failures);
  if (attempt > failures) return rest;
  const message = `Expected success from attempt ${failures + 1} on, but this is attempt ${attempt}`;
  throw new ActionError(message, { code: 'FLAKY' });
}

function sleep({ input, signal }: ActionContext, clock: Clock): Promise<JsonObject> {
  const { ms, ...rest } = input;
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= sleepMsMax)) {
    throw invalid('core.sleep', `"ms" to be a number from 0 to ${sleepMsMax}`, ms);
  }
  return new Promise((resolve, reject) => {
    const cancelAlarm = clock.schedule(clock.now() + ms, () => {
      signal.removeEventListener('abort', stop);
      resolve(rest);
    });
    const stop = () => {
      cancelAlarm();
      reject(signal.reason as Error); // the engine aborts with errors
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

function invalid(action: string, wanted: string, found: Json | undefined): ActionError {
  const text = found === undefined ? 'nothing' : JSON.stringify(found).slice(0, 200);
  const message = `Expected the input of ${action} to have ${wanted}, but found ${text}`;
  return new ActionError(message, { code: 'ACTION_INPUT_INVALID', retryable: false });
}
