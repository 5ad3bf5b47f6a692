// UseLanguage: the worker that knows the language, one for all fields of the page, started with the first.

import { useEffect, useState } from 'react';
import { type Caller, callsTo } from '../../worker/worker-calls.ts';
import type { LanguageCalls, Source } from './language.ts';

let caller: Caller<LanguageCalls> | null = null;

export function askLanguage(): Caller<LanguageCalls> {
  caller ??= callsTo(new Worker(new URL('./language.worker.ts', import.meta.url), { type: 'module' }));
  return caller;
}

type Problem = Awaited<ReturnType<LanguageCalls['checkExpression']>>;

/** What is wrong with a source, told a moment after it was typed; null if nothing is, or nothing is written. */
export function useProblem({ source, names }: Source): Problem {
  const [told, setTold] = useState<{ readonly source: string; readonly problem: Problem } | null>(null);
  const key = names.join(' ');
  useEffect(() => {
    if (source.trim() === '') return;
    let isWanted = true;
    const ask = askLanguage()('checkExpression', { source, names: key.split(' ') });
    // Without a worker the server still says what is wrong when the definition is checked.
    ask.then((problem) => isWanted && setTold({ source, problem })).catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [source, key]);
  return told?.source === source && source.trim() !== '' ? told.problem : null;
}
