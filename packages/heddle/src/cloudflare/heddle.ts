// Heddle: an engine on Cloudflare from one description: the class of its objects, the Worker before them, and the engine for
// other handlers.

import type { Client } from '../client/client.ts';
import { checkedOptions } from './checked-options.ts';
import { type HeddleObjectClass, heddleObject } from './heddle-object.ts';
import type { HeddleOptions } from './options.ts';
import type { RebuiltObjects } from './projection/rebuild-objects.ts';
import { type HeddleServiceClass, heddleService } from './service.ts';
import { type HeddleWorker, ObjectsWorker } from './worker.ts';

export interface HeddleOnCloudflare<Env> {
  /** To be exported by the Worker under this name, with a binding and a migration (`new_sqlite_classes`). */
  readonly HeddleObject: HeddleObjectClass<Env>;
  /** To be exported, for other Workers that bind to it: `engineBehind(env.HEDDLE)` there is the engine. */
  readonly HeddleService: HeddleServiceClass<Env>;
  /** To be the default export of the Worker, or a part of it. */
  readonly worker: HeddleWorker<Env>;
  /** The engine of a tenant, for other handlers and for actions. Nobody is asked for a key. */
  readonly engineOf: (env: Env, tenant?: string) => Client;
  /**
   * Every object writes its runs into the projection again; answers when all of them have noted it. Some hundred tenants at a time:
   * ask again with `after` while there is a `next`.
   */
  readonly rebuildProjection: (env: Env, after?: string | null) => Promise<RebuiltObjects>;
}

export function heddle<Env>(options: HeddleOptions<Env>): HeddleOnCloudflare<Env> {
  const checked = checkedOptions(options);
  const worker = new ObjectsWorker(checked);
  return {
    HeddleObject: heddleObject(checked),
    HeddleService: heddleService<Env>(worker.forwardTrusted),
    worker,
    engineOf: worker.engineOf,
    rebuildProjection: worker.rebuildProjection,
  };
}
