// The workloads of the three other dialects: sound ones come out as their oracles say, with faults and without, most wild
// ones can be registered, and a journal that has been tampered with is found out. `HEDDLE_RUNS=1000` plays more worlds.

import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import type { MakeWorkload, RunRecord } from '../workload.ts';
import { makeDataflow } from './dataflow.ts';
import { makeHandle } from './handle.ts';
import type { EventOf } from './journal.ts';
import { findingsIn, type PlayedWorld, playWorld } from './play.testsuite.ts';
import { makeThread } from './thread.ts';

const worlds = Number(process.env['HEDDLE_RUNS'] ?? 30);

const kinds: [string, MakeWorkload][] = [
  ['dataflow', makeDataflow],
  ['thread', makeThread],
  ['handle', makeHandle],
];

describe.each(kinds)('%s', (_, make) => {
  test('what comes out is what the oracle says, whatever goes wrong on the way', async () => {
    for (let seed = 1; seed <= worlds; seed++) {
      const findings = findingsIn(await playWorld(make, seed));
      expect({ seed, findings }).toEqual({ seed, findings: [] });
    }
  });

  test('the simplest of all comes to its end', async () => {
    const simplest: MakeWorkload = () => make(new Dice(1, []));
    const world = await playWorld(simplest, 1, true);
    expect(findingsIn(world)).toEqual([]);
    expect(world.records.map(({ status }) => status)).toEqual(['completed']);
  });

  test('four of five are sound and register without errors; of the wild ones most register', async () => {
    const { engine } = await createTestEngine();
    const isRefused = (definition: unknown) => engine.validate(definition).some(({ severity }) => severity === 'error');
    const all = Array.from({ length: 300 }, (__, seed) => make(new Dice(seed)));
    const sound = all.filter(({ isSound }) => isSound);
    const wild = all.filter(({ isSound }) => !isSound);
    expect(sound.filter(({ definitions }) => definitions.some(isRefused))).toEqual([]);
    expect(sound.length).toBeGreaterThan(200);
    expect(wild.filter(({ definitions }) => definitions.some(isRefused)).length).toBeLessThan(wild.length / 2);
    await engine.close();
  });
});

// ---------------------------------------------------------------------------------------------------- tampering

/** A record that cannot have come about; null if there is nothing in it to tamper with. */
type Tamper = (record: RunRecord) => RunRecord | null;

/** Changes the last event of a type, or takes it out. */
function altering<T extends RunEvent['type']>(
  type: T,
  alter: (event: EventOf<T>) => object | null,
  isMeant: (event: EventOf<T>) => boolean = () => true,
): Tamper {
  return (record) => {
    const isOne = (event: RunEvent): event is EventOf<T> => event.type === type && isMeant(event as EventOf<T>);
    const place = record.events.findLastIndex(isOne);
    if (place < 0) return null;
    const altered = alter(record.events[place] as EventOf<T>); // found by that
    const events = record.events.toSpliced(place, 1, ...(altered === null ? [] : [altered as RunEvent]));
    return { ...record, events };
  };
}

const tampers: Record<string, Tamper> = {
  'another status': (record) => ({ ...record, status: record.status === 'completed' ? 'failed' : 'completed' }),
  'another output': (record) => (record.status === 'completed' ? { ...record, output: { other: 1 } } : null),
  'another error': (record) => (record.error ? { ...record, error: { ...record.error, code: 'OTHER' } } : null),
  'another input of a task': altering('task.dispatched', (event) => ({ ...event, input: { other: 1 } })),
  'another result of a task': altering('task.completed', (event) => ({ ...event, output: { other: 1 } })),
  'a task handed out twice': altering('task.dispatched', (event) => ({ ...event, dispatch: event.dispatch + 1 })),
  // Where a run has failed, others that were on their way in the same row may not have got there.
  'a visit too few': (record) => (record.status === 'completed' ? altering('token.created', () => null)(record) : null),
  'a visit elsewhere': altering(
    'token.created',
    (event) => ({ ...event, node: 'elsewhere' }),
    (event) => event.from !== undefined,
  ),
  'a branch too many': altering('fan_out.started', (event) => ({ ...event, total: event.total + 1 })),
  'a task of which nothing is told': altering('task.dispatched', () => null),
  'an answer that nobody gave': altering('input.resumed', (event) => ({ ...event, payload: { other: 1 } })),
  'another result of an end': altering('workflow.result_set', (event) => ({ ...event, output: { other: 1 } })),
  'another call': altering('subworkflow.dispatched', (event) => ({ ...event, input: { other: 1 } })),
  'a call that ended otherwise': altering('subworkflow.completed', (event) => ({ ...event, output: { other: 1 } })),
  'a wait of another length': altering(
    'token.waiting',
    (event) => ({ ...event, until: 1 }),
    (event) => event.for === 'timer',
  ),
  'no end': (record) => ({ ...record, events: record.events.slice(0, -1) }),
  'something after the end': (record) => {
    const last = record.events.at(-1) as RunEvent;
    return { ...record, events: [...record.events, { ...last, seq: last.seq + 1 }] };
  },
};

const calmWorlds = Promise.all(
  kinds.flatMap(([, make]) => Array.from({ length: 20 }, (_, seed) => playWorld(make, seed + 300, true))),
);

/** The runs of sound worlds that something can be done to. */
function tampered({ workload, records }: PlayedWorld, tamper: Tamper) {
  if (!workload.isSound) return [];
  return records.flatMap((record) => {
    const other = tamper(record);
    return other === null ? [] : [{ other, told: workload.check(other, records) }];
  });
}

describe('a journal that cannot have come about is found out', () => {
  test.each(Object.keys(tampers))('%s', async (name) => {
    const all = (await calmWorlds).flatMap((world) => tampered(world, tampers[name] as Tamper));
    expect(all.length).toBeGreaterThan(0);
    const missed = all.filter(({ told }) => told === null);
    expect(missed.map(({ other }) => `${other.workflow} ${other.runId}`)).toEqual([]);
  });
});
