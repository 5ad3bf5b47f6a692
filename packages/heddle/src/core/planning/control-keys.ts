// Control keys: executors of handle graphs return a context in which three keys steer the engine. Rules HN….

import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/path.ts';
import type { Token } from '../state.ts';
import { describeValue } from './scope.ts';

export interface Controlled {
  readonly result: { readonly context: JsonObject; readonly branch: string };
  /** When the node is done with waiting; not after `at` if it does not wait. */
  readonly until: number;
  /** What the executor calls the wait. */
  readonly label?: string;
  /** Keys that are there and say nothing. */
  readonly ignored: readonly string[];
}

/** HN1: `_branch`, `_wait` and `_waitUntil` are read and taken out of the context. */
export function readControls(
  token: Token,
  output: Json,
  { at, timeoutMsMax }: { readonly at: number; readonly timeoutMsMax: number },
): Controlled | { failure: Failure } {
  if (!isJsonObject(output)) {
    const message = `Expected node ${token.node} to return its context, an object, but found ${describeValue(output)}`;
    return { failure: { code: 'CONTEXT_INVALID', message } };
  }
  const { _branch, _wait, _waitUntil, ...context } = output;
  const until = Math.max(at, at + waitMs(_wait), readTime(_waitUntil));
  const label = readLabel(until === readTime(_waitUntil) ? _waitUntil : _wait);
  if (until > at + timeoutMsMax) {
    const message = `Expected the wait at node ${token.node} to take at most ${timeoutMsMax} ms by the limit timeoutMsMax, but it takes longer`;
    return { failure: { code: 'WAIT_INVALID', message } };
  }
  const ignored = [
    ...(isThere(_branch) && readHandle(_branch) === null ? ['_branch'] : []),
    ...(isThere(_wait) && readSeconds(_wait) === null ? ['_wait'] : []),
    ...(isThere(_waitUntil) && Number.isNaN(timeIn(_waitUntil)) ? ['_waitUntil'] : []),
  ];
  // HN2: without a handle the way is `main`.
  return { result: { context, branch: readHandle(_branch) ?? 'main' }, until, ignored, ...label };
}

export interface NamedHandles {
  readonly result: { readonly output: Json; readonly handles: readonly string[] | null };
  /** `_branch` is there and says nothing. */
  readonly ignored: boolean;
}

/** DR8: a result may name the handle that is taken, or a list of them, as `_branch`; else all are taken. */
export function readHandles(given: Json): NamedHandles {
  if (!isJsonObject(given) || !isThere(given['_branch']))
    return { result: { output: given, handles: null }, ignored: false };
  const { _branch, ...output } = given;
  const handles = (Array.isArray(_branch) ? _branch : [_branch]).map(readHandle);
  const named = handles.filter((handle) => handle !== null);
  const ignored = named.length < handles.length;
  return { result: { output, handles: ignored ? null : named }, ignored };
}

/** More characters of a label are cut off. */
const labelLengthMax = 200;

/** HN45: a wait may have a label, a text of at most 200 characters; of two waits the label of the later one counts. */
function readLabel(wait: Json | undefined): { readonly label?: string } {
  const label = isJsonObject(wait) ? wait['label'] : undefined;
  if (typeof label !== 'string' || label === '') return {};
  return { label: label.length > labelLengthMax ? Array.from(label).slice(0, labelLengthMax).join('') : label };
}

const isThere = (value: Json | undefined): boolean => value !== undefined && value !== null;

/** A handle is a text; true and false stand for theirs. */
function readHandle(branch: Json | undefined): string | null {
  return typeof branch === 'string' || typeof branch === 'boolean' ? String(branch) : null;
}

/** HN3: a wait is whole seconds above 0; anything else is no wait. */
function waitMs(wait: Json | undefined): number {
  const seconds = readSeconds(wait) ?? 0;
  return seconds > 0 ? Math.floor(seconds) * 1000 : 0;
}

function readSeconds(wait: Json | undefined): number | null {
  const seconds = isJsonObject(wait) ? wait['seconds'] : undefined;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : null;
}

/** HN4: a time that cannot be read is no wait. */
function readTime(wait: Json | undefined): number {
  const time = timeIn(wait);
  return Number.isNaN(time) ? 0 : time;
}

function timeIn(wait: Json | undefined): number {
  const timestamp = isJsonObject(wait) ? wait['timestamp'] : undefined;
  return typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
}
