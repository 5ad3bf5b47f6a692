// HostTurns: what callers of one engine must do one after the other, by a name: a retry with a key, a release.

import { Turns } from '../actor/turns.ts';
import type { Host } from './host.ts';

const turns = new WeakMap<Host, Turns>();

export function turnsOf(host: Host): Turns {
  const known = turns.get(host) ?? new Turns();
  turns.set(host, known);
  return known;
}
