// Worker: what stands before the objects: finds out whose a request is, and hands it to an object of that tenant, which answers it.
// It keeps nothing but what never changes: whose a key is.
//
// Always true: an object is asked only for a tenant that there is; whether a request may be done, the object decides.

import { drawShard, RunPlacement, shardPerRun } from '../actor/mail/run-placement.ts';
import { equalTexts, sha256Hex } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { shardOf } from '../base/shard.ts';
import { Client } from '../client/client.ts';
import { Transport } from '../client/transport.ts';
import { homeShard } from '../engine/peers.ts';
import { defaultTenant, keyOf } from '../http/access.ts';
import { protect } from '../http/guard.ts';
import { answerProblem, RequestError } from '../http/problem-document.ts';
import { sessionIn } from '../http/sessions.ts';
import { answerPage } from '../http/web-app.ts';
import { wires } from '../http/wire.ts';
import type { ShownCredentials } from './object-answers.ts';
import { forward } from './object-front.ts';
import { askObject } from './object-stub.ts';
import { type HeddleOptions, report } from './options.ts';
import { pagesIn } from './pages.ts';
import { type Place, shardsOf } from './place.ts';
import type { WorkerContext } from './platform.ts';
import type { Database } from './projection/database.ts';
import { answerOperator, isOfProjection } from './projection/operator.ts';
import { type RebuiltObjects, rebuildObjects } from './projection/rebuild-objects.ts';
import type { ForwardTrusted } from './service.ts';

/** Of the handlers of a Worker. */
export interface HeddleWorker<Env> {
  readonly fetch: (request: Request, env: Env) => Promise<Response>;
  /** By a cron trigger: looks at every object, so that none sleeps with work, whatever became of its alarm. */
  readonly scheduled: (event: unknown, env: Env, context: WorkerContext) => void;
}

const knownMax = 10_000;

export class ObjectsWorker<Env> implements HeddleWorker<Env> {
  readonly #options: HeddleOptions<Env>;
  readonly #shards: number;
  /** Whose credentials are, by their hashes: that never changes. */
  readonly #tenants = new Map<string, string>();

  constructor(options: HeddleOptions<Env>) {
    this.#options = options;
    this.#shards = shardsOf(options.placement ?? 'tenant');
  }

  readonly fetch = async (request: Request, env: Env): Promise<Response> => {
    try {
      const { pages, projection } = this.#options;
      if (projection && isOfProjection(request))
        return protect(await this.#askProjection(request, env, projection(env)));
      const page = pages ? await answerPage(request, pagesIn(pages(env), request)) : null;
      if (page) return protect(page);
      return await forward(this.#options.objects(env), await this.#placeOf(request, env), request, false);
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error;
      if (!(error instanceof RequestError)) report(this.#options, error);
      return protect(answerProblem(error));
    }
  };

  /** DO7: any object of the tenant answers anything; that of the run needs no other for it. */
  async #placeOf(request: Request, env: Env): Promise<Place> {
    const tenant = await this.#tenantOf(request, new URL(request.url).pathname, env);
    return { tenant, shard: await this.#shardFor(request) };
  }

  async #shardFor(request: Request): Promise<number> {
    if (this.#shards === 1) return homeShard;
    const { pathname } = new URL(request.url);
    const [, runId] = /^\/v1\/runs\/([^/]+)\//.exec(`${pathname}/`) ?? [];
    if (runId !== undefined && !(runId in wordsAfterRuns)) {
      const shard = shardOf(decodeURIComponent(runId));
      return shard < this.#shards ? shard : homeShard;
    }
    if (this.#shards !== shardPerRun) return Math.floor(Math.random() * this.#shards);
    return isStart(request, pathname) ? shardOfStart(request) : homeShard;
  }

  /** DO8: whose request it is, by what it shows or by its address. */
  async #tenantOf(request: Request, pathname: string, env: Env): Promise<string> {
    const named = namedTenant(pathname);
    if (named !== null) return (await this.#isTenant(named, env)) ? named : defaultTenant;
    const key = keyOf(request.headers.get('authorization'));
    const session = key === null ? sessionIn(request.headers.get('cookie')) : null;
    const shown = key ?? session;
    // Whoever shows nothing, or what opens nothing, is told so by the operator's object.
    if (shown === null || equalTexts(shown, this.#options.key(env))) return defaultTenant;
    const hash = sha256Hex(shown);
    const known = this.#tenants.get(hash);
    if (known !== undefined) return known;
    const tenant = await this.#askHome(env)<string | null>('tenantOf', [{ key, session } satisfies ShownCredentials]);
    if (tenant !== null) this.#remember(hash, tenant);
    return tenant ?? defaultTenant;
  }

  async #isTenant(tenant: string, env: Env): Promise<boolean> {
    if (tenant === defaultTenant || this.#tenants.get(tenant) === tenant) return true;
    const isOne = await this.#askHome(env)<boolean>('isTenant', [tenant]);
    if (isOne) this.#remember(tenant, tenant);
    return isOne;
  }

  #remember(what: string, tenant: string): void {
    if (this.#tenants.size >= knownMax) this.#tenants.clear();
    this.#tenants.set(what, tenant);
  }

  #askHome(env: Env): ReturnType<typeof askObject> {
    return askObject(this.#options.objects(env), { tenant: defaultTenant, shard: homeShard });
  }

  readonly scheduled = (_event: unknown, env: Env, context: WorkerContext): void => {
    context.waitUntil(this.#wakeAll(env).catch((error: unknown) => report(this.#options, error)));
  };

  #askProjection(request: Request, env: Env, database: Database): Promise<Response> {
    const rebuild = (after: string | null) => this.rebuildProjection(env, after);
    return answerOperator(request, { database, operatorKey: this.#options.key(env), rebuild });
  }

  readonly rebuildProjection = (env: Env, after: string | null = null): Promise<RebuiltObjects> =>
    rebuildObjects({
      after,
      shards: this.#shards,
      tenants: (behind) => this.#askHome(env)('pageTenants', [behind]),
      rebuild: (place) => askObject(this.#options.objects(env), place)('rebuildProjection'),
    });

  async #wakeAll(env: Env): Promise<void> {
    const ask = this.#askHome(env);
    await this.#wakeTenant(env, defaultTenant);
    for (let after: string | null = null; ; ) {
      const page: readonly string[] = await ask('pageTenants', [after]);
      for (const tenant of page) if (tenant !== defaultTenant) await this.#wakeTenant(env, tenant);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  /** One that cannot be woken keeps no other from it. */
  async #wakeTenant(env: Env, tenant: string): Promise<void> {
    // Those of runs cannot be listed; each has an alarm of its own.
    const shards = this.#shards === shardPerRun ? 1 : this.#shards;
    for (let shard = 0; shard < shards; shard++) {
      const place = { tenant, shard };
      await askObject(
        this.#options.objects(env),
        place,
      )('wake').catch((error: unknown) => report(this.#options, error));
    }
  }

  readonly forwardTrusted: ForwardTrusted<Env> = async (request, env, tenant) =>
    forward(this.#options.objects(env), { tenant, shard: await this.#shardFor(request) }, request, true);

  /** For other handlers of the Worker, and for actions: the engine of a tenant. Nobody is asked for a key. */
  readonly engineOf = (env: Env, tenant = defaultTenant): Client => {
    const ask: typeof fetch = (input, init) => this.forwardTrusted(new Request(input, init), env, tenant);
    return new Client(new Transport({ url: 'http://heddle', fetch: ask }));
  };
}

const isStart = ({ method }: Request, pathname: string): boolean =>
  method === wires.startRun.method && pathname === wires.startRun.path;

/** A new run has an object of its own, the same for all starts under one key. */
async function shardOfStart(request: Request): Promise<number> {
  const key = request.headers.get('idempotency-key') ?? keyIn(await request.clone().text());
  return key === null ? drawShard() : new RunPlacement(homeShard).ofKey('start', key);
}

/** What is no request at all, any object says. */
function keyIn(body: string): string | null {
  try {
    const { idempotencyKey } = JSON.parse(body) as { readonly idempotencyKey?: unknown }; // what is no object has none
    return typeof idempotencyKey === 'string' ? idempotencyKey : null;
  } catch {
    return null;
  }
}

/** What may stand behind `/v1/runs/` and is no run. */
const wordsAfterRuns: Readonly<Record<string, true>> = Object.fromEntries(
  Object.values(wires).flatMap(({ path }) => {
    const [, word] = /^\/v1\/runs\/([^/{]+)$/.exec(path) ?? [];
    return word === undefined ? [] : [[word, true] as const];
  }),
);

const tenantPatterns = [
  ...new Set(Object.values(wires).flatMap(({ path }) => /^(.+)\{tenant\}/.exec(path)?.[1] ?? [])),
].map((before) => new RegExp(`^${before}([^/]+)/`));

/** That an address names, for whoever needs no key. */
function namedTenant(pathname: string): string | null {
  for (const pattern of tenantPatterns) {
    const [, tenant] = pattern.exec(pathname) ?? [];
    if (tenant !== undefined) return decodeURIComponent(tenant);
  }
  return null;
}
