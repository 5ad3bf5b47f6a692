// Read stream: Server-Sent Events as an iterator. When the connection breaks, it goes on after the last event it had.

import { HeddleError } from '../base/heddle-error.ts';

export interface ReceivedEvent {
  readonly id: string | null;
  readonly name: string;
  readonly data: string;
}

/** Opens a stream that begins after an event, or at the beginning. */
export type OpenStream = (after: string | undefined) => Promise<Response>;

const reopensMax = 5;
const reopenDelayMs = 100;

/** Until the server says that it is the end; without gap or repeat, as ids say where to go on. */
export async function* readStream(open: OpenStream, from: string | undefined): AsyncGenerator<ReceivedEvent> {
  let after = from;
  for (let failures = 0; ; failures++) {
    try {
      const response = await open(after);
      if (response.status === 204) return;
      failures = 0;
      for await (const event of eventsOf(response)) {
        if (event.name === 'end') return;
        if (event.name === 'error') throw problemIn(event);
        after = event.id ?? after;
        yield event;
      }
    } catch (error) {
      const isFinal = error instanceof HeddleError && error.code !== 'SERVER_UNREACHABLE';
      // Whoever has had enough is not told of an error: an engine's own events end so, too.
      if (isAbort(error)) return;
      if (isFinal || failures >= reopensMax) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, reopenDelayMs * 2 ** failures));
  }
}

/** The server ends the stream for good, and says why. */
function problemIn({ data }: ReceivedEvent): HeddleError {
  const { code, detail } = JSON.parse(data) as { readonly code: string; readonly detail: string }; // a problem document
  return new HeddleError(code, detail);
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

async function* eventsOf({ body }: Response): AsyncGenerator<ReceivedEvent> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
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
