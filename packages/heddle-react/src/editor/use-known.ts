// Known: what the engine offers to nodes: its node types, its actions and the workflows that are registered.

import { useMemo } from 'react';
import { useAnswer } from '../connection/connection.tsx';
import type { Known } from './model/adapter.ts';

const limit = 1_000; // the most that one request may ask for

export function useKnown(): Known {
  const { data: types } = useAnswer('listNodeTypes', { limit });
  const { data: actions } = useAnswer('listActions', { limit });
  const { data: definitions } = useAnswer('listDefinitions', { limit });
  return useMemo(
    () => ({
      nodeTypes: types?.items ?? [],
      actions: actions?.items ?? [],
      workflows: [...new Set(definitions?.items.map(({ id }) => id))],
    }),
    [types, actions, definitions],
  );
}
