// Operator: what only the operator's key may ask of the projection, at addresses of their own beside those of the engine.

import { equalTexts } from '../../base/hash.ts';
import { keyOf, unauthorized } from '../../http/access.ts';
import { RequestError } from '../../http/problem-document.ts';
import type { RunCountView } from '../../operations/runs.ts';
import { askTogether, type Database } from './database.ts';
import { ProjectedLists } from './projected-lists.ts';
import type { RebuiltObjects } from './rebuild-objects.ts';
import { withTables } from './tables.ts';

export interface ProjectedTenants {
  readonly tenants: readonly (RunCountView & {
    readonly tenant: string;
    readonly objects: number;
    /** Of these, how many are still writing all of their runs. */
    readonly rebuilding: number;
  })[];
  readonly next: string | null;
}

interface OperatorOptions {
  readonly database: Database;
  readonly operatorKey: string;
  /** Of the tenants behind this one, as many as one request may ask. */
  readonly rebuild: (after: string | null) => Promise<RebuiltObjects>;
}

const rootPath = '/cloudflare/projection';
const tenantsPerPage = 20;

export const isOfProjection = ({ url }: Request): boolean => `${new URL(url).pathname}/`.startsWith(`${rootPath}/`);

// DO23: the operator alone may rebuild the projection, and see that of all tenants.
export async function answerOperator(
  request: Request,
  { database, operatorKey, rebuild }: OperatorOptions,
): Promise<Response> {
  const shown = keyOf(request.headers.get('authorization'));
  if (shown === null || !equalTexts(shown, operatorKey))
    throw unauthorized(
      "Expected the operator's key, but the request shows another or none",
      'It is the secret that `key` names.',
    );
  const { pathname, searchParams } = new URL(request.url);
  const after = searchParams.get('after');
  if (request.method === 'POST' && pathname === `${rootPath}/rebuild`)
    return Response.json(await rebuild(after), { status: 202 });
  if (request.method === 'GET' && pathname === rootPath) return Response.json(await listTenants(database, after));
  throw new RequestError(
    404,
    'NOT_FOUND',
    `Expected GET ${rootPath} or POST ${rootPath}/rebuild, but found ${request.method} ${pathname}`,
  );
}

function listTenants(database: Database, after: string | null): Promise<ProjectedTenants> {
  return withTables(database, async () => {
    const [found = []] = await askTogether<{ tenant: string; objects: number; rebuilding: number }>(database, [
      database
        .prepare(
          `SELECT tenant, count(*) AS objects, count(walk) AS rebuilding FROM heddle_places
           WHERE tenant > ? GROUP BY tenant ORDER BY tenant LIMIT ${tenantsPerPage}`,
        )
        .bind(after ?? ''),
    ]);
    const counted = found.map(async (row) => ({
      ...row,
      ...(await new ProjectedLists(database, row.tenant).countRuns({ subRuns: true })),
    }));
    return {
      tenants: await Promise.all(counted),
      next: (found.length === tenantsPerPage ? found.at(-1)?.tenant : null) ?? null,
    };
  });
}
