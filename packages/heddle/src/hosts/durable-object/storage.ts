// Storage: the little of a Durable Object's `ctx.storage` that a store needs, as the platform has it.

export type ObjectValue = string | number | null | ArrayBuffer;

export interface ObjectStorage {
  readonly sql: ObjectSql;
  /** Beside the tables, and as durable. */
  readonly kv: { get(key: string): unknown; put(key: string, value: unknown): void };
  /** All of what `body` writes, and the alarm that it sets, or nothing of it. */
  transactionSync<T>(body: () => T): T;
  /** The object's one alarm; a part of the transaction that it is set in. */
  setAlarm(at: number): Promise<void>;
  getAlarm(): Promise<number | null>;
  deleteAlarm(): Promise<void>;
  /** Tables, texts and what is beside them: an object that has nothing costs nothing. */
  deleteAll(): Promise<void>;
}

export interface ObjectSql {
  exec(sql: string, ...values: readonly ObjectValue[]): ObjectCursor;
  readonly databaseSize: number;
}

export interface ObjectCursor {
  toArray(): Record<string, ObjectValue>[];
  readonly rowsWritten: number;
}
