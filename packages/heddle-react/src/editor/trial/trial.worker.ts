// The worker of a trial.

import { answerCalls, type Port } from '../../worker/worker-calls.ts';
import { trialCalls } from './trial-calls.ts';

answerCalls(globalThis as unknown as Port, trialCalls()); // the compiler takes it for a window
