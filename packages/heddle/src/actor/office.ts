// Office: who receives messages that are for no run: the ledger of credits, the triggers. A message stays in the outbox
// until its office has committed what follows from it, together with its removal.

import type { Json } from '../base/json.ts';

export interface Office {
  /** Never throws; tries again until it works. */
  receive(message: Json, outboxId: string): void;
  /** Nothing waits to be done. */
  readonly isIdle: boolean;
  /** Something is left that waits to be tried again, or for another shard. */
  readonly isOwing: boolean;
  whenIdle(): Promise<void>;
  /** Waits for the commit that is running; commits nothing after it. */
  close(): Promise<void>;
}

/** Addresses of offices begin with it; run ids do not. */
const officeMark = '@';

export const isOffice = (address: string): boolean => address.startsWith(officeMark);
