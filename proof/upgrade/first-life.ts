// First life: what happens to the workflows before a recording is made. Ten virtual minutes in which runs are started,
// paused, cancelled and retried, and in the middle of which the engine is restarted once.

import type { JsonObject } from '../../packages/heddle/src/base/json.ts';

export interface FirstStart {
  /** What the deeds call it. */
  readonly name: string;
  readonly workflow: string;
  readonly input: JsonObject;
  readonly organization?: string;
}

export interface Deed {
  readonly atMinute: number;
  readonly run: string;
  readonly does: 'pause' | 'resume' | 'cancel' | 'retry' | 'answer' | 'publish';
}

export const recordedAtMinute = 10;
export const restartAtMinute = 5;

/** Longer than the recording: whatever takes so long is half-way in it. */
const long = 1_800_000;
const short = 30_000;
const items = (...sleeps: readonly number[]): JsonObject[] => sleeps.map((ms, n) => ({ n, ms, failures: 0 }));

export const tokenStarts: readonly FirstStart[] = [
  { name: 'line', workflow: 'line', input: { n: 1, ms: 0 } },
  { name: 'line half-way', workflow: 'line', input: { n: 2, ms: long } },
  { name: 'window', workflow: 'window', input: { items: items(0, short, 0, 0) } },
  { name: 'window half-way', workflow: 'window', input: { items: items(0, long, short, long, 0) } },
  { name: 'window of nothing', workflow: 'window', input: { items: [] } },
  { name: 'nested', workflow: 'nested', input: { items: items(0, short) } },
  { name: 'nested half-way', workflow: 'nested', input: { items: items(short, long) } },
  {
    name: 'quorum',
    workflow: 'quorum',
    input: { items: [...items(0, 0, short, 2 * short, long), { n: 5, ms: short, failures: 9 }] },
  },
  { name: 'quorum half-way', workflow: 'quorum', input: { items: items(0, long, long) } },
  { name: 'race', workflow: 'race', input: { items: items(long, 0, long) } },
  { name: 'race half-way', workflow: 'race', input: { items: items(long, 2 * long) } },
  {
    name: 'tolerant',
    workflow: 'tolerant',
    input: { items: [...items(0, 0), { n: 2, ms: 0, failures: 9 }, { n: 9, ms: 0, failures: 0 }] },
  },
  {
    name: 'tolerant half-way',
    workflow: 'tolerant',
    input: { items: [...items(0, long), { n: 2, ms: 0, failures: 9 }] },
  },
  { name: 'late fails', workflow: 'late-fails', input: { items: items(0, long) } },
  { name: 'late is handled', workflow: 'late-is-handled', input: { items: items(0, long, short) } },
  { name: 'late goes on', workflow: 'late-goes-on', input: { items: items(0, long, short) } },
  { name: 'edges', workflow: 'edges', input: { ms: 0 } },
  { name: 'edges half-way', workflow: 'edges', input: { ms: long } },
  { name: 'rounds', workflow: 'rounds', input: { failures: 1 } },
  { name: 'rounds in vain', workflow: 'rounds', input: { failures: 9 } },
  { name: 'patient', workflow: 'patient', input: {} },
  { name: 'parent', workflow: 'parent', input: { n: 1, ms: 0, restMs: 0 } },
  { name: 'parent of a late child', workflow: 'parent', input: { n: 1, ms: long, restMs: long } },
  { name: 'grandparent half-way', workflow: 'grandparent', input: { n: 5, ms: long } },
  { name: 'failing', workflow: 'failing', input: { handled: false } },
  { name: 'failing and mended', workflow: 'failing', input: { handled: true } },
  { name: 'waiting', workflow: 'waiting', input: { seconds: 20 } },
  { name: 'waiting half-way', workflow: 'waiting', input: { seconds: 1_800 } },
  { name: 'in steps', workflow: 'in-steps', input: {} },
  { name: 'deployed late', workflow: 'deployed-late', input: {} },
  { name: 'hasty', workflow: 'hasty', input: {} },
  { name: 'cancelled', workflow: 'grandparent', input: { n: 8, ms: long } },
  { name: 'paused', workflow: 'line', input: { n: 3, ms: 2 * short + 1 } },
  { name: 'paused and resumed', workflow: 'line', input: { n: 4, ms: 2 * short + 1 } },
  {
    name: 'large',
    workflow: 'large',
    input: { text: 'x'.repeat(40_000), items: items(...Array<number>(13).fill(0), long, long) },
  },
];

export const deeds: readonly Deed[] = [
  { atMinute: 1, run: 'paused', does: 'pause' },
  { atMinute: 1, run: 'paused and resumed', does: 'pause' },
  { atMinute: 1, run: 'cancelled', does: 'cancel' },
  { atMinute: 2, run: 'failing', does: 'retry' },
  { atMinute: 2, run: 'late fails', does: 'retry' },
  { atMinute: 3, run: 'paused and resumed', does: 'resume' },
  { atMinute: 1, run: 'ask', does: 'answer' },
  { atMinute: 1, run: 'ask in turn', does: 'answer' },
  { atMinute: 2, run: 'ask in turn', does: 'answer' },
  { atMinute: 2, run: 'ready', does: 'publish' },
  { atMinute: 3, run: 'flow', does: 'retry' },
];

/** From version 2 of the store on. */
export const waitingStarts: readonly FirstStart[] = [
  { name: 'ask', workflow: 'ask', input: {} },
  { name: 'ask half-way', workflow: 'ask', input: {} },
  { name: 'ask in vain', workflow: 'ask-in-vain', input: {} },
  { name: 'ask in turn', workflow: 'ask-in-turn', input: {} },
  { name: 'ask in turn half-way', workflow: 'ask-in-turn', input: {} },
  { name: 'ready', workflow: 'await-ready', input: { order: 'A2' } },
  { name: 'ready half-way', workflow: 'await-ready', input: { order: 'A1' } },
  { name: 'slices', workflow: 'slices', input: { sleeps: [0, 1, 2, 3, 4] } },
  { name: 'slices half-way', workflow: 'slices', input: { sleeps: [0, 1, long, 3, long] } },
  { name: 'paid', workflow: 'paid', input: { ms: 0 }, organization: 'acme' },
  { name: 'paid half-way', workflow: 'paid', input: { ms: long }, organization: 'acme' },
  { name: 'unaffordable', workflow: 'unaffordable', input: {}, organization: 'acme' },
  { name: 'flow', workflow: 'flow', input: { ms: 0, n: 1 } },
  { name: 'flow half-way', workflow: 'flow', input: { ms: long, n: 2 } },
  { name: 'threads', workflow: 'threads', input: { ms: 0, items: [1, 2, 3] } },
  { name: 'threads half-way', workflow: 'threads', input: { ms: long, items: [1, 2, 3] } },
  { name: 'handles', workflow: 'handles-20', input: { n: 1 } },
  { name: 'handles half-way', workflow: 'handles-1800', input: { n: 2 } },
];
