// Check worker: the parser of the engine, beside the page. Told once what the engine has, it checks one definition after
// another.

import { checkDefinition, type ListedWork } from 'heddle/check';
import { answerCalls, type Port } from '../../worker/worker-calls.ts';
import type { CheckedDraft, CheckTable } from './use-check.ts';

let known: ListedWork = { nodeTypes: [], actions: [] };

const table: CheckTable = {
  know(listed: ListedWork): void {
    known = listed;
  },
  check(definition: unknown): CheckedDraft {
    const { problems, definition: normal } = checkDefinition(definition, known);
    return { problems, normal };
  },
};

answerCalls(globalThis as unknown as Port, table); // the compiler takes it for a window
