import { describe, expect, test } from 'vitest';
import { type Envelope, Mailboxes } from './mailbox.ts';

const letter = (runId: string, n: number): Envelope & { readonly n: number } => ({
  runId,
  n,
  work: { type: 'wake' },
  sender: null,
  failures: 0,
});
const names = (envelopes: readonly Envelope[]) =>
  envelopes.map((envelope) => `${envelope.runId}${(envelope as Envelope & { n: number }).n}`);

describe('mailboxes', () => {
  test('[RN8] within a run in order of arrival; among runs one of each in turn, never more than asked for', () => {
    const boxes = new Mailboxes();
    for (let n = 1; n <= 5; n++) boxes.put(letter('a', n));
    boxes.put(letter('b', 1));
    boxes.put(letter('b', 2));
    boxes.put(letter('c', 1));
    expect(names(boxes.take(4))).toEqual(['a1', 'b1', 'c1', 'a2']);
    boxes.put(letter('c', 2));
    expect(names(boxes.take(100))).toEqual(['a3', 'b2', 'c2', 'a4', 'a5']);
    expect(boxes.isEmpty).toBe(true);
  });

  test('[RN8] a run with a hundred thousand letters does not hold up one with a single letter', () => {
    const boxes = new Mailboxes();
    for (let n = 0; n < 100_000; n++) boxes.put(letter('busy', n));
    boxes.put(letter('calm', 1));
    expect(names(boxes.take(2))).toContain('calm1');
    expect([boxes.sizeOf('busy'), boxes.sizeOf('calm'), boxes.sizeOf('nobody')]).toEqual([99_999, 0, 0]);
  });

  test('[RN3] a run whose stand ends in the midst of a batch keeps its order', () => {
    const boxes = new Mailboxes();
    for (let n = 1; n <= 3; n++) boxes.put(letter('a', n));
    const [first, ...behind] = boxes.take(2) as [Envelope, Envelope];
    boxes.hold(first);
    boxes.release('a');
    expect([boxes.isHeld('a'), boxes.isEmpty]).toEqual([true, false]);
    boxes.putBack('a', behind);
    expect(names(boxes.take(100))).toEqual(['a1', 'a2', 'a3']);
    expect([boxes.isHeld('a'), boxes.isEmpty]).toEqual([false, true]);
  });

  test('[RN3] a run that stands still again waits again', () => {
    const boxes = new Mailboxes();
    boxes.hold(letter('a', 1));
    boxes.release('a');
    boxes.hold(letter('a', 1));
    expect(names(boxes.take(100))).toEqual([]);
  });
});
