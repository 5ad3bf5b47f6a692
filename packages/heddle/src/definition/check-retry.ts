// Check retry: every code in `retryableErrors` is one that the action of the node can fail with. Rule DF60; what a code
// looks like at all stands in `names.ts`.

import type { RetryDefinition } from './definition.ts';
import { pointerTo } from './origins.ts';
import type { Reporter } from './reporter.ts';

interface RetriedWork {
  readonly nodeId: string;
  readonly action: string | undefined;
  readonly retry: RetryDefinition | undefined;
  /** What `core.fail` is told to fail with; undefined if only a run can tell. */
  readonly failCode: string | undefined;
}

// DF60: a code is listed once, and is one that the action can fail with where it is a built-in one.
export function checkRetry({ nodeId, action, retry, failCode }: RetriedWork, reporter: Reporter): void {
  if (retry?.retryableErrors === undefined) return;
  const place = reporter.origins.of(retry, 'retryableErrors');
  const codes = listCodes(action, failCode);
  const seen = new Set<string>();
  for (const [index, code] of retry.retryableErrors.entries()) {
    if (seen.has(code)) {
      const message = `Expected each code in "retryableErrors" of node "${nodeId}" once, but "${code}" is there again`;
      reporter.warning('NO_EFFECT', pointerTo(place, index), { message });
    } else if (codes !== null && !codes.includes(code)) {
      reporter.warning('NEVER_MATCHES', pointerTo(place, index), {
        message: `Expected "retryableErrors" of node "${nodeId}" to list codes that ${action} can be retried for (${codes.join(', ')}), but found "${code}"`,
        hint:
          action === 'http.request'
            ? 'Statuses all fail with HTTP_STATUS; only those that may pass are retried.'
            : undefined,
      });
    }
    seen.add(code);
  }
}

/** Whatever an action does, its time may run out, and its process may die. */
const anyAction = ['TASK_TIMEOUT', 'TASK_LOST'];

const ownCodes: Readonly<Record<string, readonly string[]>> = {
  'core.echo': [],
  'core.flaky': ['FLAKY'],
  'core.sleep': [],
  'http.request': ['HTTP_STATUS', 'HTTP_TIMEOUT', 'HTTP_CONNECTION_FAILED'],
};

/** The codes of failures that are tried again at all; null if that is not known. */
function listCodes(action = '', failCode: string | undefined): readonly string[] | null {
  const told = action === 'core.fail' && failCode !== undefined ? [failCode] : undefined;
  const own = Object.hasOwn(ownCodes, action) ? ownCodes[action] : told;
  return own === undefined ? null : [...own, ...anyAction];
}
