// Heddle: an engine on Cloudflare from one description: the class of its objects, the Worker before them, and the engine for
// other handlers.

import { HeddleError } from '../base/heddle-error.ts';
import { refuseUnknown } from '../base/refuse-options.ts';
import type { Client } from '../client/client.ts';
import { type HeddleObjectClass, heddleObject } from './heddle-object.ts';
import { type HeddleOptions, optionNames } from './options.ts';
import type { RebuiltObjects } from './projection/rebuild-objects.ts';
import { type HeddleWorker, ObjectsWorker } from './worker.ts';

export interface HeddleOnCloudflare<Env> {
  /** To be exported by the Worker under this name, with a binding and a migration (`new_sqlite_classes`). */
  readonly HeddleObject: HeddleObjectClass<Env>;
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
  refuseUnknown('heddle', options, optionNames);
  for (const name of ['objects', 'key'] as const)
    if (typeof (options[name] as unknown) !== 'function')
      throw new HeddleError(
        'OPTION_INVALID',
        `Expected ${name} to be a function of env, but found ${typeof options[name]}`,
      );
  const key = (env: Env): string => mustBeKey(options.key(env));
  const checked = { ...options, key };
  const worker = new ObjectsWorker(checked);
  return {
    HeddleObject: heddleObject(checked),
    worker,
    engineOf: worker.engineOf,
    rebuildProjection: worker.rebuildProjection,
  };
}

/** Without one everybody would be in, or nobody. */
function mustBeKey(key: unknown): string {
  if (typeof key === 'string' && key.length > 0) return key;
  throw new HeddleError(
    'KEY_NEEDED',
    'Expected a key of the operator, but the environment has none. Set the secret that `key` names: in .dev.vars while you ' +
      'develop, and with `npx wrangler secret put` where it is deployed.',
  );
}
