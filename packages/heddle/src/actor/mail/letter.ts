// Letter: a message from one shard of a fleet to another, and how it lies in the outbox of its sender. Rules ML….
//
// Always true: a letter has a number that no other letter of the same sender, incarnation and receiver has ever had, higher
// than those before it.

import type { Json } from '../../base/json.ts';
import type { OutboxRow } from '../ports.ts';

/** As it is brought. */
export interface Letter {
  readonly from: number;
  /** Of the sender's store: another one after it was restored from a backup, where numbers begin again. */
  readonly incarnation: string;
  readonly number: number;
  /** The letter before it that may not have arrived: 0 if all have. */
  readonly after: number;
  /** All letters below this number have arrived, or never will be sent. */
  readonly lowest: number;
  /** A run or an office of the receiver. */
  readonly to: string;
  readonly message: Json;
}

/** As its sender keeps it until it has arrived. */
export interface Posted extends Pick<Letter, 'incarnation' | 'number' | 'to' | 'message'> {
  readonly receiver: number;
  readonly rowId: string;
}

/** Where letters lie in the outbox. */
export const mailAddress = '@mail';

/** Records that belong to another shard: what a run there waits for. */
export const recordsAddress = '@records';

const numberLength = 15;
/** Behind all ids of messages within a shard, in the order of sending. */
const rowIdPattern = /^~(\d+)\/([^/]+)\/(\d+)$/;

export function rowOf(letter: Omit<Posted, 'rowId'>): OutboxRow {
  const { receiver, incarnation, number, to, message } = letter;
  const id = `~${receiver}/${incarnation}/${String(number).padStart(numberLength, '0')}`;
  return { id, to: mailAddress, message: JSON.stringify({ to, message }) };
}

/** Null if it is no letter. */
export function readPosted(rowId: string, content: Json): Posted | null {
  const [, receiver, incarnation, number] = rowIdPattern.exec(rowId) ?? [];
  if (receiver === undefined || incarnation === undefined || number === undefined) return null;
  const { to, message } = content as { readonly to: string; readonly message: Json }; // as `rowOf` wrote it
  return { receiver: Number(receiver), incarnation, number: Number(number), to, message, rowId };
}

const receiptMark = 'letter:';

/** What a commit is told that a letter was received by, in place of the id of a message in its own outbox. */
export const receiptOf = ({ from, incarnation, number }: Pick<Letter, 'from' | 'incarnation' | 'number'>): string =>
  `${receiptMark}${from}/${incarnation}/${number}`;

export const isReceipt = (outboxId: string): boolean => outboxId.startsWith(receiptMark);

/** The key of its mark. */
export const markKeyOf = (receipt: string): string => receipt.slice(receiptMark.length);

export function readMarkKey(key: string): { readonly sender: string; readonly number: number } {
  const at = key.lastIndexOf('/');
  return { sender: key.slice(0, at), number: Number(key.slice(at + 1)) };
}
