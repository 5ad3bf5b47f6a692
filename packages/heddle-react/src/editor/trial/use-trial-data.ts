// UseTrialData: what a trial is started with, and goes by: samples at first, then what somebody has set, or what a past run had.

import type { JsonObject, JsonSchema } from 'heddle';
import { useEffect, useState } from 'react';
import { useConnection } from '../../connection/connection.tsx';
import { readPastRun } from './past-run.ts';
import { recall, remember, type TrialData } from './remembered.ts';
import { sampleOf } from './sample.ts';

export interface TriedDraft {
  readonly workflow: string;
  /** Where the browser keeps what belongs to it. */
  readonly place: string;
  /** The draft as it stands. */
  readonly definition: JsonObject;
  /** A past run whose input and outcomes are taken at once. */
  readonly runId?: string | undefined;
}

export type Choose = (change: Partial<TrialData>) => void;

export interface ChosenData extends TrialData {
  /** Why the past run could not be read. */
  readonly error: unknown;
}

/** As it was left, unless a past run is to be tried; else samples. */
export function useTrialData({ place, definition, runId }: TriedDraft): readonly [ChosenData, Choose] {
  const { client } = useConnection();
  const [data, setData] = useState<TrialData>(() => {
    const fresh = { input: sampleOf(inputSchemaOf(definition)), pins: {}, pauses: [], runId: runId ?? null };
    return runId === undefined ? (recall(place) ?? fresh) : fresh;
  });
  const [read, setRead] = useState<{ readonly runId: string | null; readonly error: unknown }>({
    runId: runId === undefined ? data.runId : null,
    error: null,
  });
  const choose: Choose = (change) => setData((last) => ({ ...last, ...change }));
  const wanted = data.runId;
  useEffect(() => {
    if (wanted === null || wanted === read.runId) return undefined;
    let isWanted = true;
    const take = (change: Partial<TrialData>, error: unknown): void => {
      if (!isWanted) return;
      setData((last) => ({ ...last, ...change }));
      setRead({ runId: wanted, error });
    };
    readPastRun(client, wanted).then(
      ({ input, pins }) => take({ input, pins }, null),
      (error: unknown) => take({}, error),
    );
    return () => {
      isWanted = false;
    };
  }, [client, wanted, read.runId]);
  useEffect(() => remember(place, data), [place, data]);
  return [{ ...data, error: wanted === read.runId ? read.error : null }, choose];
}

export function inputSchemaOf({ inputSchema }: JsonObject): JsonSchema {
  const isObject = typeof inputSchema === 'object' && inputSchema !== null && !Array.isArray(inputSchema);
  return isObject ? (inputSchema as JsonObject) : true; // so it is
}
