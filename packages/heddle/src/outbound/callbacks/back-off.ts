// Back-off: when a delivery that failed is tried again. Pure.

import { sha256Hex } from '../../base/hash.ts';

const firstDelayMs = 10_000;
const delayMsMax = 21_600_000;
/** Together with the delays between them: about three days. */
export const attemptsMax = 22;

/** CB6: ten seconds, then twice as long each time, up to six hours; a quarter more or less, drawn from the delivery's id. */
export function delayAfter(attempts: number, id: string): number {
  const delayMs = Math.min(firstDelayMs * 2 ** (attempts - 1), delayMsMax);
  const chance = Number.parseInt(sha256Hex(`${id}/${attempts}`).slice(0, 8), 16) / 0xff_ff_ff_ff;
  return Math.round(delayMs * (0.75 + chance / 2));
}
