// The worker of expression fields.

import { answerCalls, type Port } from '../../worker/worker-calls.ts';
import { languageCalls } from './language.ts';

answerCalls(globalThis as unknown as Port, languageCalls); // the compiler takes it for a window
