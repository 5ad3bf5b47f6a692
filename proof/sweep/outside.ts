// Outside: what the world outside of the process knows, which no crash takes away: the time, what callers were answered,
// which calls workers got.
//
// Always true: one is never changed; what is learnt makes a new one.

/** A call of an action, by whichever process. */
export interface SeenCall {
  readonly runId: string;
  readonly nodeId: string;
  readonly tokenId: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

export interface Outside {
  readonly now: number;
  /** By the name of an order: `done`, or the code of its refusal. */
  readonly answers: ReadonlyMap<string, string>;
  /** How many of these were there before the message was sent. */
  readonly answersBefore: number;
  readonly calls: readonly SeenCall[];
  /** What the situation wrote down for later: ids of runs and the like. */
  readonly notes: ReadonlyMap<string, string>;
}

export const nothingHeard = (now: number): Outside => ({
  now,
  answers: new Map(),
  answersBefore: 0,
  calls: [],
  notes: new Map(),
});

/** Calls are left out: workers answer whatever they are asked, and are asked again. */
export const hasHeardTheSame = (one: Outside, other: Outside): boolean =>
  one.now === other.now && one.answers === other.answers && one.notes === other.notes;
