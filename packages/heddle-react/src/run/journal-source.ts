// A source that is a journal alone: no server is asked. For runs that were taken along, and for those of a try-out.

import type { JsonObject } from 'heddle';
import type { Drawing, RunEvent } from 'heddle/journal';
import { Readings } from './readings.ts';
import { emptyReading, figuresOf, type RunReading, type RunSource } from './run-source.ts';
import { RunTravel } from './run-travel.ts';

export interface Journal {
  readonly definition: JsonObject;
  readonly drawing: Drawing;
  readonly events: readonly RunEvent[];
}

/** Folded in turns of so many events, between which the page lives on. */
const eventsPerTurn = 2_000;

export function journalSource({ definition, drawing, events }: Journal): RunSource {
  const travel = new RunTravel(drawing);
  const first = { ...emptyReading(events[0]?.runId ?? ''), definition, drawing };
  let timer: ReturnType<typeof setTimeout> | undefined;

  const foldNext = (): void => {
    try {
      for (const event of events.slice(travel.length, travel.length + eventsPerTurn)) travel.add(event);
    } catch (error) {
      readings.change((current) => ({ ...current, error, connection: 'closed' }));
      return;
    }
    const isWhole = travel.length === events.length;
    readings.change((current) => ({
      ...traveled(current, travel),
      phase: isWhole ? 'ready' : 'loading',
      connection: isWhole ? 'closed' : 'open',
    }));
    if (!isWhole) timer = setTimeout(foldNext);
  };

  const readings = new Readings(first, { open: foldNext, close: () => clearTimeout(timer) });
  return {
    client: null,
    subscribe: readings.subscribe,
    read: readings.read,
    moveTo(moment) {
      travel.moveTo(moment);
      readings.change((current) => traveled(current, travel));
    },
    readEvents(after, limit) {
      const from = after === null ? 0 : events.findIndex(({ id }) => id === after) + 1;
      return Promise.resolve(events.slice(from, from + limit));
    },
  };
}

/** The reading as of where the travel is. */
export function traveled(current: RunReading, travel: RunTravel): RunReading {
  const { fold, events, length, isLive } = travel;
  return { ...current, events, length, moment: fold.count, isLive, fold, figures: figuresOf(fold) };
}
