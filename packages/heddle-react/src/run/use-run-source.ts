// Hooks for sources of runs.

import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useConnection, useIsSignedOut } from '../connection/connection.tsx';
import { ClientSource } from './client-source.ts';
import type { RunReading, RunSource } from './run-source.ts';

/** A run on the server of the provider. It is followed while something that is mounted reads it. */
export function useRunSource(runId: string): ClientSource {
  const { client } = useConnection();
  const source = useMemo(() => new ClientSource(client, runId), [client, runId]);
  const isSignedOut = useIsSignedOut();
  useEffect(() => {
    if (!isSignedOut) source.resume();
  }, [source, isSignedOut]);
  return source;
}

/** What a source has to show, as it changes. */
export function useRunReading(source: RunSource): RunReading {
  return useSyncExternalStore(source.subscribe, source.read);
}
