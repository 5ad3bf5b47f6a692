// The description of the API, as the server gives it.

import type { Json } from 'heddle';
import { useEffect, useState } from 'react';
import type { Asked } from '../page.tsx';

/** It is no operation, and does not change while the server runs. */
export function useApiDocument(): Asked<Json> {
  const [data, setData] = useState<Json>();
  const [error, setError] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is another question
  useEffect(() => {
    setError(null);
    readDocument().then(setData, setError);
  }, [tries]);
  return { data, error, refetch: () => setTries(tries + 1) };
}

async function readDocument(): Promise<Json> {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`Expected the description of the API, but found status ${response.status}`);
  return (await response.json()) as Json; // it gives nothing else
}
