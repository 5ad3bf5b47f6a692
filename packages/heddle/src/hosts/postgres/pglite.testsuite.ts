// PGlite as a Database: PostgreSQL compiled for JavaScript runtimes, in this process, with one connection.

import { PGlite } from '@electric-sql/pglite';
import { type Ask, type Database, isUnstorable } from './database.ts';
import { lostAnswer, toStoreError } from './postgres-fault.ts';

const bigint = 20;

export async function openPglite(schema: string): Promise<Database & { readonly pglite: PGlite }> {
  const pglite = await PGlite.create();
  const name = `PGlite, schema ${schema}`;
  const options = { parsers: { [bigint]: Number } };
  const asking = (where: Pick<PGlite, 'query'>): Ask => {
    return async <Row extends object>(sql: string, values: Parameters<Ask>[1] = []) =>
      (await where.query<Row>(sql, [...values], options)).rows;
  };
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(error, name);
    }
  };
  const ask = asking(pglite);
  const read: Ask = async (sql, values = []) => (values.some(isUnstorable) ? [] : told(() => ask(sql, values)));
  return {
    pglite,
    name,
    prefix: `"${schema}".`,
    read,
    write: async (sql, values) => {
      try {
        return await ask(sql, values);
      } catch (error) {
        throw lostAnswer(error, name) ?? toStoreError(error, name);
      }
    },
    readTogether: (body) => told(() => pglite.transaction((transaction) => body(asking(transaction)))),
    transaction: (body) => told(() => pglite.transaction((transaction) => body(asking(transaction)))),
    close: () => pglite.close(),
  };
}
