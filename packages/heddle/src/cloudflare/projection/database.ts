// Database: the little of D1 that the projection needs, as the platform has it.

export type DatabaseValue = string | number | null;

/** A binding of a D1 database. */
export interface Database {
  prepare(sql: string): DatabaseStatement;
  /** All of them or none, in their order. */
  batch<Row>(statements: DatabaseStatement[]): Promise<DatabaseAnswer<Row>[]>;
}

export interface DatabaseStatement {
  bind(...values: DatabaseValue[]): DatabaseStatement;
  all<Row>(): Promise<DatabaseAnswer<Row>>;
}

export interface DatabaseAnswer<Row> {
  readonly results: readonly Row[];
}

/** Answers of a batch, by statement. */
export async function askTogether<Row>(
  database: Database,
  statements: readonly DatabaseStatement[],
): Promise<readonly (readonly Row[])[]> {
  const answers = await database.batch<Row>([...statements]);
  return answers.map(({ results }) => results);
}
