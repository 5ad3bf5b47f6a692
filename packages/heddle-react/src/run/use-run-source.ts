// Hooks for sources of runs.

import { useMemo, useSyncExternalStore } from 'react';
import { useConnection } from '../connection/connection.tsx';
import { ClientSource } from './client-source.ts';
import type { RunReading, RunSource } from './run-source.ts';

/** A run on the server of the provider. It is followed while something that is mounted reads it. */
export function useRunSource(runId: string): RunSource {
  const { client } = useConnection();
  return useMemo(() => new ClientSource(client, runId), [client, runId]);
}

/** What a source has to show, as it changes. */
export function useRunReading(source: RunSource): RunReading {
  return useSyncExternalStore(source.subscribe, source.read);
}
