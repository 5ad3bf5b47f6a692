import { RunFold } from 'heddle/journal';
import { describe, expect, test } from 'vitest';
import { journalSource } from './journal-source.ts';
import { journalOf, pricing, roundsThenFanOut } from './journals.testsuite.ts';
import { figuresOf, type RunReading } from './run-source.ts';
import { RunTravel } from './run-travel.ts';

const journal = await journalOf(roundsThenFanOut, { items: Array.from({ length: 300 }, (_, n) => n) }, pricing);
const { drawing, events } = journal;

function figuresAt(count: number): unknown {
  const fold = new RunFold({ drawing });
  for (const event of events.slice(0, count)) fold.add(event);
  return figuresOf(fold);
}

describe('travelling in a journal', () => {
  test('every moment is what the journal up to it adds up to, forward, back and in jumps', () => {
    const travel = new RunTravel(drawing);
    for (const event of events) travel.add(event);
    for (const moment of [0, 1, 2, 700, 701, 702, 699, 3, events.length - 1, 650, 1_300, events.length]) {
      travel.moveTo(moment);
      expect(figuresOf(travel.fold)).toEqual(figuresAt(moment));
    }
  });

  test('live is the newest, also as it grows; a moment that was chosen stays', () => {
    const travel = new RunTravel(drawing);
    for (const event of events.slice(0, 10)) travel.add(event);
    expect([travel.isLive, travel.fold.count]).toEqual([true, 10]);
    travel.moveTo(4);
    for (const event of events.slice(10, 20)) travel.add(event);
    expect([travel.isLive, travel.fold.count, travel.length]).toEqual([false, 4, 20]);
    travel.moveTo('live');
    expect(travel.fold.count).toBe(20);
  });

  test('a moment that has not come yet is the newest until it has', () => {
    const travel = new RunTravel(drawing);
    travel.moveTo(15);
    for (const event of events.slice(0, 10)) travel.add(event);
    expect(travel.fold.count).toBe(10);
    for (const event of events.slice(10, 20)) travel.add(event);
    expect(travel.fold.count).toBe(15);
  });
});

describe('a journal as a source', () => {
  const whole = (source: ReturnType<typeof journalSource>): Promise<RunReading> =>
    new Promise((resolve) => {
      const stop = source.subscribe(() => {
        if (source.read().connection !== 'closed') return;
        resolve(source.read());
        setTimeout(() => stop());
      });
    });

  test('is read to its end without a server', async () => {
    const source = journalSource(journal);
    const reading = await whole(source);
    expect(reading).toMatchObject({ phase: 'ready', length: events.length, moment: events.length, isLive: true });
    expect(reading.figures).toEqual(figuresAt(events.length));
    source.moveTo(5);
    expect(source.read()).toMatchObject({ moment: 5, isLive: false });
    expect(await source.readEvents(events[1]?.id ?? null, 2)).toEqual(events.slice(2, 4));
  });

  test('one that lacks an event is said, and shown up to there', async () => {
    const reading = await whole(journalSource({ ...journal, events: events.toSpliced(7, 1) }));
    expect(reading.error).toMatchObject({ code: 'EVENTS_INCOMPLETE' });
  });
});
