// Read stream: Server-Sent Events as an iterator. When the connection breaks, it goes on after the last event it had.

import type { Clock } from '../actor/ports.ts';
import { systemClock } from '../actor/system-clock.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { AnsweredError, problemIn } from './answers.ts';
import { pause } from './pause.ts';

export interface ReceivedEvent {
  readonly id: string | null;
  readonly name: string;
  readonly data: string;
}

/** Opens a stream that begins after an event, or at the beginning. */
export type OpenStream = (after: string | undefined) => Promise<Response>;

/** Whether there is a connection. */
export type StreamState = 'open' | 'lost';

export interface StreamReading {
  /** Ends the reading, also while it waits. */
  readonly signal?: AbortSignal | undefined;
  /** Keep trying for as long as that: also while the server, or what stands before it, answers that it cannot now. */
  readonly forever?: boolean | undefined;
  /** Told whenever it changes. */
  readonly onState?: ((state: StreamState) => void) | undefined;
  /** The system's by default. */
  readonly clock?: Clock | undefined;
}

const reopensMax = 5;
const reopenDelayMs = 100;
const reopenDelayMsMax = 10_000;
/** Three signs of life that did not come: a connection that broke without a word. */
const silenceMsMax = 45_000;

/** Until the server says that it is the end; without gap or repeat, as ids say where to go on. */
export async function* readStream(
  open: OpenStream,
  from: string | undefined,
  { signal, forever = false, onState, clock = systemClock() }: StreamReading = {},
): AsyncGenerator<ReceivedEvent> {
  const tell = onChange(onState);
  let after = from;
  for (let failures = 0; ; failures++) {
    try {
      const response = await open(after);
      if (response.status === 204) return;
      failures = 0;
      tell('open');
      for await (const event of eventsOf(response, forever ? clock : null)) {
        if (event.name === 'end') return;
        if (event.name === 'error') throw problemIn(event.data); // the server ends the stream, and says why
        after = event.id ?? after;
        yield event;
      }
    } catch (error) {
      // Whoever has had enough is not told of an error: an engine's own events end so, too.
      if (isAbort(error) || signal?.aborted === true) return;
      if (isFinal(error, forever) || (!forever && failures >= reopensMax)) throw error;
    }
    tell('lost');
    await pause(Math.min(reopenDelayMs * 2 ** failures, reopenDelayMsMax), signal, clock);
    if (signal?.aborted === true) return;
  }
}

function onChange(listener: StreamReading['onState']): (state: StreamState) => void {
  let last: StreamState | null = null;
  return (state) => {
    if (state !== last) listener?.(state);
    last = state;
  };
}

/** Another try would be refused again. */
function isFinal(error: unknown, forever: boolean): boolean {
  if (!(error instanceof HeddleError) || error.code === 'SERVER_UNREACHABLE') return false;
  const isPassing =
    error instanceof AnsweredError && (error.status === 429 || (error.status >= 500 && !isNever(error)));
  return !(forever && isPassing);
}

/** That server does not do it, now or later. */
const isNever = ({ status }: AnsweredError): boolean => status === 501;

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** With a clock, as long as there is a sign of life. */
async function* eventsOf({ body }: Response, clock: Clock | null): AsyncGenerator<ReceivedEvent> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (let rest = ''; ; ) {
      const { done, value } = await (clock ? whileAlive(clock, reader.read()) : reader.read());
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it may have broken
  }
}

/** What comes in time; otherwise the connection counts as broken. */
async function whileAlive<Value>(clock: Clock, coming: Promise<Value>): Promise<Value> {
  let cancel: () => void = () => undefined;
  const silence = new Promise<never>((_, reject) => {
    const giveUp = (): void => reject(new Error(`Expected a sign of life within ${silenceMsMax} ms, but none came`));
    cancel = clock.schedule(clock.now() + silenceMsMax, giveUp);
  });
  return Promise.race([coming, silence]).finally(() => cancel());
}

/** Null for a sign of life. */
function parseBlock(block: string): ReceivedEvent | null {
  let id: string | null = null;
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const value = line.slice(line.indexOf(':') + 1).replace(/^ /, '');
    if (line.startsWith('id:')) id = value;
    else if (line.startsWith('event:')) name = value;
    else if (line.startsWith('data:')) data.push(value);
  }
  return data.length === 0 ? null : { id, name, data: data.join('\n') };
}
