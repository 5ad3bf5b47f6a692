// Obey: what a process does that is started beforehand: nothing until it is told to begin, then that until it is told to
// close, or is killed. It ends with the supervisor, if nothing else ends it.

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Line, Order } from './protocol.ts';

/** Out at once: what was said before a kill has been heard. */
export const say = (line: Line): void => void writeSync(1, `${JSON.stringify(line)}\n`);

/** Begins, and answers with what closes it. */
export type Begin = (order: Order) => Promise<(graceMs: number) => Promise<void>>;

export function obeyOrders(begin: Begin): void {
  let close: (graceMs: number) => Promise<void> = () => Promise.resolve();
  const obey = async (order: Order): Promise<void> => {
    if (order.type !== 'close') {
      close = await begin(order);
      say({ type: 'ready' });
      return;
    }
    await close(order.graceMs);
    say({ type: 'closed' });
    process.exit();
  };
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    obey(JSON.parse(line) as Order).catch((error: unknown) => {
      // The supervisor wrote it; what is wrong with it is seen on stderr.
      throw error;
    });
  });
  lines.on('close', () => process.exit());
}
