// Refused parts: what was refused of several things that one request asked for, each told in its own answer. Of what a store
// refused, callers learn the code, as with a whole request (HT14).

import { HeddleError } from '../base/heddle-error.ts';
import type { AnswerOf, OperationName } from '../operations/operations.ts';
import { isStoreCode, storeFault } from './problem-document.ts';

type Report = (fault: HeddleError) => void;
type Tell = <Part extends object>(part: Part) => Part;

/** Of operations that answer for each thing on its own. */
const tellers: { readonly [Name in OperationName]?: (answer: AnswerOf<Name>, tell: Tell) => AnswerOf<Name> } = {
  startRuns: ({ runs }, tell) => ({ runs: runs.map(tell) }),
  cancelRuns: ({ items, next }, tell) => ({ items: items.map(tell), next }),
  retryRuns: ({ items, next }, tell) => ({ items: items.map(tell), next }),
  heartbeatTasks: ({ tasks }, tell) => ({ tasks: tasks.map(tell) }),
  finishTasks: ({ tasks }, tell) => ({
    tasks: tasks.map((task) => (task.error ? { ...task, error: tell(task.error) } : task)),
  }),
  releaseTasks: ({ tasks }, tell) => ({ tasks: tasks.map(tell) }),
};

/** What callers are told; whoever operates the server is given the whole of it, once for each fault. */
export function withoutPlaces<Name extends OperationName>(
  name: Name,
  answer: AnswerOf<Name>,
  report: Report,
): AnswerOf<Name> {
  const faults = new Map<string, HeddleError>();
  const told = tellers[name]?.(answer, (part) => tellCode(part, faults)) ?? answer;
  for (const fault of faults.values()) report(fault);
  return told;
}

function tellCode<Part extends object>(part: Part, faults: Map<string, HeddleError>): Part {
  const { code, message } = part as Partial<Record<'code' | 'message', unknown>>; // of a refusal both are texts
  if (typeof code !== 'string' || !isStoreCode(code)) return part;
  const said = String(message);
  faults.set(said, new HeddleError(code, said));
  return { ...part, message: storeFault({ code }).message };
}
