// A reader of Server-Sent Events, as a browser is one: ids, names, data, signs of life, and the end of the connection.

import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../packages/heddle/src/base/json.ts';

export interface Sent {
  readonly id: string | null;
  readonly name: string;
  readonly data: JsonObject;
}

export interface Reader {
  readonly response: Response;
  /** The next event; null when the server has ended the stream. */
  readonly next: () => Promise<Sent | null>;
  /** All until one satisfies, with it; or until the end. */
  readonly until: (isLast: (sent: Sent) => boolean) => Promise<readonly Sent[]>;
  readonly rest: () => Promise<readonly Sent[]>;
  /** The next sign of life. */
  readonly heartbeat: () => Promise<string>;
  readonly leave: () => void;
}

export async function readEvents(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Reader> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(url, { headers, signal: leaving.signal });
  const blocks = blocksOf(response);
  const next = async (wanted: 'event' | 'comment' = 'event'): Promise<string | null> => {
    for (;;) {
      const { done, value } = await blocks.next();
      if (done === true) return null;
      if (value.startsWith(':') === (wanted === 'comment')) return value;
    }
  };
  const nextEvent = async (): Promise<Sent | null> => {
    const block = await next();
    return block === null ? null : parse(block);
  };
  const until: Reader['until'] = async (isLast) => {
    const all: Sent[] = [];
    for (let sent = await nextEvent(); sent !== null; sent = await nextEvent()) {
      all.push(sent);
      if (isLast(sent)) break;
    }
    return all;
  };
  return {
    response,
    next: nextEvent,
    until,
    rest: () => until(() => false),
    heartbeat: async () => (await next('comment')) ?? '',
    leave: () => leaving.abort(),
  };
}

async function* blocksOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  let rest = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks;
  }
}

function parse(block: string): Sent {
  const field = (name: string): string | null => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null;
  return { id: field('id'), name: field('event') ?? 'message', data: JSON.parse(field('data') ?? '{}') as JsonObject };
}
