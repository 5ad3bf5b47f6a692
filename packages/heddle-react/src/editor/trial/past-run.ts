// Past run: what a run on the server was given and gave, as the input and the pins of a trial.

import type { Json, TokenInfo } from 'heddle';
import type { WireClient } from 'heddle/wire';
import { type Pins, pinsFromTokens } from './pins.ts';

export interface PastRun {
  readonly runId: string;
  readonly input: Json;
  readonly pins: Pins;
}

/** Of a larger run, the first so many visits. */
const tokensMax = 50_000;

export async function readPastRun(client: WireClient, runId: string): Promise<PastRun> {
  const { input } = await client.call('getState', { runId });
  const tokens: TokenInfo[] = [];
  for (let next: string | null | undefined; next !== null && tokens.length < tokensMax; ) {
    const page = await client.call('listTokens', { runId, ...(next === undefined ? {} : { after: next }) });
    tokens.push(...page.items);
    next = page.next;
  }
  return { runId, input, pins: pinsFromTokens(tokens) };
}
