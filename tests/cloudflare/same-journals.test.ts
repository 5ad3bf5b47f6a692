import { afterAll, beforeAll } from 'vitest';
import type { ProgramKind } from '../../simulator/journals-of.ts';
import { describeSameJournals } from '../same-journals.testsuite.ts';
import { Workerd } from './workerd.testsuite.ts';

interface Playing {
  journals(kind: ProgramKind, seed: number): Promise<readonly string[]>;
}

let workerd: Workerd;

beforeAll(async () => {
  workerd = await Workerd.open({ program: 'journals.worker.ts', more: { serviceBindings: {} } });
});
afterAll(() => workerd.close());

describeSameJournals('in an object', 6, async (kind, seed) => {
  const object = await workerd.object<Playing>(`${kind}-${seed}`);
  return object.journals(kind, seed);
});
