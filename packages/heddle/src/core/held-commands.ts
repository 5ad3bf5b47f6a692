// Held commands: what came while the run was paused, as journals and snapshots keep it.

import type { JsonObject } from '../base/json.ts';
import type { Command } from './commands.ts';

/** `held` is what `workflow.held` recorded; nothing else puts anything there. */
export function heldCommands(held: readonly JsonObject[]): readonly Command[] {
  return held as unknown as readonly Command[]; // planning made each from a command
}
