// Lease: who outside the process has a task, and until when; how that is kept in the store, for the next engine; and the
// text that a worker shows to answer for the task. Rule WK9.
//
// Always true: nothing of the text is stored; it is made again whenever it is needed.

import type { Progress } from '../actor/observers.ts';
import type { RecordRow, RecordWrite, Task } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import { hmacSha256 } from '../base/hash.ts';

/** The hand-out that a lease is for. */
export interface LeaseName {
  readonly runId: string;
  readonly tokenId: number;
  readonly dispatch: number;
}

/** What the text of a lease says. */
export interface LeaseTextName extends LeaseName {
  readonly givenAt?: number;
}

/** What must be known of a task to judge its result, also by an engine that did not hand it out. */
export interface LeaseFacts {
  readonly nodeId: string;
  readonly action: string;
  /** Null: it did not say who it is. */
  readonly worker: string | null;
  readonly leasedAt: number;
  /** How long the attempt may take; 0 is without end. */
  readonly timeoutMs: number;
  readonly payloadBytesMax: number;
  readonly jsonDepthMax: number;
  /** Its worker was to confirm it: others may have had the same hand-out, so that its text says when it was given. */
  readonly isToConfirm?: true;
}

export class Lease implements LeaseName {
  readonly runId: string;
  readonly tokenId: number;
  readonly dispatch: number;
  readonly facts: LeaseFacts;
  /** Of its record. */
  readonly key: string;
  readonly timesOutAt: number;
  /** Null for one that an earlier engine gave, unless its run has offered it since. */
  task: Task | null;
  expiresAt: number;
  /** Its text, once somebody needed it. */
  text: string | null = null;
  /** False: an earlier engine gave it, and nobody has looked yet whether the run still waits for it. */
  isConfirmed: boolean;
  /** False: its worker has not confirmed it yet. */
  isHeard: boolean;
  progress: Progress | null = null;
  /** When its alarm comes, and what calls that off. */
  alarmAt = Infinity;
  cancelAlarm: (() => void) | null = null;

  constructor({ runId, tokenId, dispatch }: LeaseName, facts: LeaseFacts, expiresAt: number, task: Task | null) {
    this.runId = runId;
    this.tokenId = tokenId;
    this.dispatch = dispatch;
    this.facts = facts;
    this.key = leaseKey({ runId, tokenId });
    this.timesOutAt = facts.timeoutMs > 0 ? facts.leasedAt + facts.timeoutMs : Infinity;
    this.expiresAt = expiresAt;
    this.task = task;
    this.isConfirmed = task !== null;
    this.isHeard = !facts.isToConfirm;
  }

  /** What its text is made of. */
  get name(): LeaseTextName {
    const { runId, tokenId, dispatch, facts } = this;
    return { runId, tokenId, dispatch, ...given({ givenAt: facts.isToConfirm && facts.leasedAt }) };
  }

  /** An earlier engine gave it, and perhaps nobody heard of that: its run is to offer the task again. */
  get isDoubtful(): boolean {
    return !this.isHeard && this.task === null;
  }

  /** When something happens if nobody says a word. */
  get dueAt(): number {
    return Math.min(this.expiresAt, this.timesOutAt);
  }
}

export const leaseKind = 'lease';

export const leaseKey = ({ runId, tokenId }: Pick<LeaseName, 'runId' | 'tokenId'>): string => `${runId}/${tokenId}`;

export function makeRecord(lease: Lease): RecordWrite {
  const { dispatch, facts, isHeard } = lease;
  const value = JSON.stringify({ dispatch, ...facts, ...(isHeard ? {} : { isHeard }) });
  return { kind: leaseKind, key: lease.key, value, dueAt: lease.expiresAt };
}

/** Throws if the record was damaged. */
export function readLease({ key, value, dueAt }: RecordRow): Lease {
  const stored = JSON.parse(value) as LeaseFacts & { readonly dispatch: number; readonly isHeard?: false }; // `makeRecord` wrote it
  const { dispatch, isHeard = true, ...facts } = stored;
  const lease = new Lease({ ...parseName(key), dispatch }, facts, dueAt ?? 0, null);
  lease.isHeard = isHeard;
  return lease;
}

/** What a record is about. */
export function parseName(key: string): Pick<LeaseName, 'runId' | 'tokenId'> {
  const end = key.lastIndexOf('/');
  return { runId: key.slice(0, end), tokenId: Number(key.slice(end + 1)) };
}

// WK9: a lease is sealed for one hand-out of one task, so that it opens nothing else and is worthless after it.
export function leaseText(key: Uint8Array, { runId, tokenId, dispatch, givenAt }: LeaseTextName): string {
  const when = givenAt === undefined ? [] : [givenAt];
  const seal = hmacSha256(key, JSON.stringify(['lease', runId, tokenId, dispatch, ...when]));
  return `${runId}.${tokenId}.${[dispatch, ...when].join('-')}.${seal}`;
}

const shape =
  /^(?<runId>.{1,1000})\.(?<tokenId>\d{1,15})\.(?<dispatch>\d{1,15})(?:-(?<givenAt>\d{1,15}))?\.[\w-]{43}$/su;

/** What it says to be for; null if it is none. Whether that is true, only the seal tells. */
export function readLeaseText(text: unknown): LeaseTextName | null {
  const { runId, tokenId, dispatch, givenAt } = (typeof text === 'string' && shape.exec(text)?.groups) || {};
  if (runId === undefined) return null;
  const name = { runId, tokenId: Number(tokenId), dispatch: Number(dispatch) };
  return givenAt === undefined ? name : { ...name, givenAt: Number(givenAt) };
}
