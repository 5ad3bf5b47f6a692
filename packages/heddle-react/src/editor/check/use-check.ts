// Check: what is wrong with the definition, told while it is edited. The parser runs in a worker, which is loaded when the
// editor opens; the newest definition alone is checked.

import type { JsonObject } from 'heddle';
import type { ListedWork } from 'heddle/check';
import type { Problem } from 'heddle/wire';
import { useEffect, useRef, useState } from 'react';
import { type Caller, callsTo } from '../../worker/worker-calls.ts';
import type { Known } from '../model/adapter.ts';
import type { Document } from '../model/history.ts';

export interface CheckedDraft {
  readonly problems: readonly Problem[];
  /** In its normal form; null if there are errors. */
  readonly normal: object | null;
}

export type CheckTable = {
  know: (listed: ListedWork) => void;
  check: (definition: unknown) => CheckedDraft;
};

const quietMs = 120;

export interface Check {
  readonly problems: readonly Problem[];
  /** Of which definition; null before the first one is checked. */
  readonly of: Document | null;
  /** Any definition, such as a file that is imported. */
  readonly check: (definition: unknown) => Promise<CheckedDraft>;
}

export function useCheck(document: Document, known: Known): Check {
  const worker = useRef<Caller<CheckTable> | null>(null);
  const [found, setFound] = useState<{ readonly of: Document; readonly problems: readonly Problem[] } | null>(null);

  useEffect(() => {
    const started = new Worker(new URL('./check.worker.ts', import.meta.url), { type: 'module' });
    worker.current = callsTo<CheckTable>(started);
    return () => {
      worker.current = null;
      started.terminate();
    };
  }, []);

  useEffect(() => {
    let isNewest = true;
    const look = async (): Promise<void> => {
      const problems = document.text === null ? await checkNow(document.definition) : [textProblem(document.text)];
      if (isNewest) setFound({ of: document, problems });
    };
    const checkNow = async (definition: JsonObject): Promise<readonly Problem[]> => {
      const call = worker.current;
      if (call === null) return [];
      await call('know', { nodeTypes: known.nodeTypes, actions: known.actions });
      return (await call('check', definition)).problems;
    };
    const timer = setTimeout(() => {
      look().catch((error: unknown) => isNewest && setFound({ of: document, problems: [brokenCheck(error)] }));
    }, quietMs);
    return () => {
      isNewest = false;
      clearTimeout(timer);
    };
  }, [document, known]);

  return {
    problems: found?.problems ?? [],
    of: found?.of ?? null,
    check: async (definition) => {
      if (worker.current === null) return { problems: [], normal: null };
      return worker.current('check', definition);
    },
  };
}

function textProblem(text: string): Problem {
  return { severity: 'error', code: 'NOT_JSON', pointer: '', message: `Expected JSON, but ${jsonError(text)}` };
}

/** What the browser says of it. */
export function jsonError(text: string): string {
  try {
    JSON.parse(text);
    return 'it is no object';
  } catch (error) {
    return error instanceof Error ? error.message : 'it does not parse';
  }
}

const brokenCheck = (error: unknown): Problem => ({
  severity: 'warning',
  code: 'NOT_CHECKED',
  pointer: '',
  message: `Expected the definition to be checked, but ${error instanceof Error ? error.message : 'it was not'}`,
  hint: 'Publishing checks it on the server.',
});
