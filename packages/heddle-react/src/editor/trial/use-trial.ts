// UseTrial: the worker in which trials run, while the panel is open; what can be pinned in the draft; the workflows it calls.

import type { JsonObject, NodeTypeInfo } from 'heddle';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useConnection } from '../../connection/connection.tsx';
import { type Caller, callsTo } from '../../worker/worker-calls.ts';
import { readCalled } from './called-definitions.ts';
import { TrialSession, type TrialState } from './session.ts';
import type { TrialCalls } from './trial-calls.ts';
import type { TrialGraph } from './trial-graph.ts';

export interface OpenTrial {
  readonly call: Caller<TrialCalls>;
  readonly session: TrialSession;
}

/** Null until the worker is started, and what is drawn with is loaded: from then on no server is needed. */
export function useTrial(): OpenTrial | null {
  const [trial, setTrial] = useState<OpenTrial | null>(null);
  useEffect(() => {
    let isOpen = true;
    const worker = new Worker(new URL('./trial.worker.ts', import.meta.url), { type: 'module' });
    const call = callsTo<TrialCalls>(worker);
    void loadCanvas().then(() => isOpen && setTrial({ call, session: new TrialSession(call) }));
    return () => {
      isOpen = false;
      worker.terminate();
    };
  }, []);
  return trial;
}

/** What the run is drawn with. Where it cannot be loaded, the view that needs it says so. */
async function loadCanvas(): Promise<void> {
  await Promise.allSettled([import('../../run/run-graph.tsx'), import('@dagrejs/dagre')]);
}

export function useTrialState({ session }: OpenTrial): TrialState {
  return useSyncExternalStore(session.subscribe, session.read);
}

/** What the worker knows of the draft as it stands. */
export interface Draft {
  readonly definition: JsonObject;
  readonly catalogue: readonly NodeTypeInfo[];
}

export interface KnownDraft {
  readonly graph: TrialGraph | null;
  readonly called: readonly JsonObject[];
  readonly error: unknown;
}

/** Asked again with every change of the draft; until it is answered, the last answer stands. */
export function useKnownDraft({ call }: OpenTrial, { definition, catalogue }: Draft): KnownDraft {
  const { client } = useConnection();
  const [known, setKnown] = useState<KnownDraft>({ graph: null, called: [], error: null });
  useEffect(() => {
    let isNewest = true;
    const tell = (news: Partial<KnownDraft>): void => {
      if (isNewest) setKnown((last) => ({ ...last, error: null, ...news }));
    };
    const draft = { definition, catalogue };
    const ask = async (): Promise<void> => {
      tell({ graph: await call('describe', draft) });
      tell({ called: await readCalled(draft, { client, call }) });
    };
    ask().catch((error: unknown) => tell({ error }));
    return () => {
      isNewest = false;
    };
  }, [call, client, definition, catalogue]);
  return known;
}
