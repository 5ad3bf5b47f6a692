// Faults: what becomes of the objects of a tenant, as a test has told beforehand, and what has become of them. It is kept beside the
// objects, in the memory of the Worker, and outlives them.

import { objectName, type Place } from '../../packages/heddle/src/cloudflare/place.ts';
import type { ObjectStorage } from '../../packages/heddle/src/hosts/durable-object/storage.ts';

export interface Env {
  readonly HEDDLE: { idFromName(name: string): object; get(id: object): object };
  readonly HEDDLE_KEY: string;
  readonly WORK: object;
  readonly OUTSIDE: { fetch(url: string, init?: RequestInit): Promise<Response> };
}

export interface PlatformContext {
  /** An object that its alarm wakes is not told its name. */
  readonly id: { readonly name?: string };
  readonly storage: ObjectStorage & { deleteAlarm(): Promise<void>; sync(): Promise<void> };
  abort(reason: string): never;
}

/**
 * `after`: in the same turn, before the platform has stored it; `stored`: as soon as it has; `refused`: the object lives, and its
 * storage has no room; `refused-and-gone`: it dies of it.
 */
export const moments = ['before', 'inside', 'after', 'stored', 'refused', 'refused-and-gone'] as const;
export type Moment = (typeof moments)[number];

export interface Death {
  /** Which transaction, counted from when this was told. */
  readonly commit: number;
  readonly moment: Moment;
}

/** What becomes of a question: it is lost, or its answer is, or it comes twice. */
export type Loss = 'before' | 'after' | 'twice';

/** What a test tells, and what it is told. */
export interface Told {
  deaths: readonly Death[];
  /** What the storage refuses: to read records, to write, or even to set the alarm and to be read. */
  refuses: 'nothing' | 'records' | 'writes' | 'all';
  /** By question (`peer receive`, `wake`), what becomes of the next ones, in their order. */
  losses: Readonly<Record<string, readonly (Loss | null)[]>>;
}

class Faults implements Told {
  deaths: readonly Death[] = [];
  refuses: Told['refuses'] = 'nothing';
  losses: Told['losses'] = {};
  /** Since deaths were told, or the last died. */
  commits = 0;
  died = 0;
  lives = 0;
  /** Begun, and ended without a fault. */
  alarms = 0;
  rings = 0;
  refused = 0;
  readonly works: string[] = [];
  readonly asked: Record<string, number> = {};
  readonly errors: string[] = [];

  tell(told: Partial<Told>): void {
    if (told.deaths) this.commits = 0;
    Object.assign(this, told);
  }

  /** Whether to die now. */
  dies(moment: Moment, commit: number): boolean {
    const [death, ...later] = this.deaths;
    if (death?.commit !== commit || death.moment !== moment) return false;
    this.deaths = later;
    this.commits = 0;
    this.died++;
    return true;
  }

  takeLoss(question: string): Loss | null {
    const [loss = null, ...others] = this.losses[question] ?? [];
    this.losses = { ...this.losses, [question]: others };
    return loss;
  }
}

export type FaultsSeen = Pick<
  Faults,
  'commits' | 'died' | 'lives' | 'alarms' | 'rings' | 'refused' | 'works' | 'asked' | 'errors'
>;

const known = new Map<string, Faults>();
/** That refuses nothing. */
export const soundStorage = new WeakMap<PlatformContext, PlatformContext['storage']>();

/** Of the tenant that has the object. */
export function faultsOf(object: string): Faults {
  const [tenant = ''] = object.split('/');
  const faults = known.get(tenant) ?? new Faults();
  known.set(tenant, faults);
  return faults;
}

/** Of nobody's object. */
export const theirFaults = (): Faults => faultsOf('');

export async function tellFaults(request: Request, tenant: string): Promise<Response> {
  const faults = faultsOf(tenant);
  if (request.method === 'POST') faults.tell((await request.json()) as Partial<Told>);
  return Response.json(faults);
}

/** What an object is called, whoever wakes it. */
export function nameOf({ id, storage }: PlatformContext): string {
  if (id.name !== undefined) return id.name;
  const place = storage.kv.get('heddle-place') as Place | undefined; // as it was put
  return place ? objectName(place) : ''; // one that has given its storage up is nobody's
}

/** As the platform says it. */
const full = (): Error => new Error('database or disk is full: SQLITE_FULL');

export function faulty(context: PlatformContext, faults: Faults): PlatformContext {
  faults.lives++;
  const { storage } = context;
  const die = (): never => context.abort('killed by a test');
  const refuse = (what: 'reading' | 'records' | 'writing'): void => {
    const refused = { nothing: [], records: ['records'], writes: ['writing'], all: ['reading', 'records', 'writing'] };
    if (!refused[faults.refuses].some((each) => each === what)) return;
    faults.refused++;
    throw full();
  };
  const orDie = <T>(dies: boolean, body: () => T): T => {
    try {
      return body();
    } catch (error) {
      if (dies) die();
      throw error;
    }
  };
  const transactionSync = <T>(body: () => T): T => {
    const commit = ++faults.commits;
    if (faults.dies('before', commit)) die();
    const isGone = faults.dies('refused-and-gone', commit);
    const answer = orDie(isGone, () =>
      storage.transactionSync(() => {
        const inside = body();
        if (faults.dies('inside', commit)) die();
        if (isGone || faults.dies('refused', commit)) throw full();
        return inside;
      }),
    );
    if (faults.dies('after', commit)) die();
    void storage.sync().then(() => {
      if (faults.dies('stored', commit)) die();
    });
    return answer;
  };
  const sql = {
    exec: (text: string, ...values: never[]) => {
      refuse(!/^\s*(SELECT|WITH)/.test(text) ? 'writing' : /FROM records/.test(text) ? 'records' : 'reading');
      return storage.sql.exec(text, ...values);
    },
    get databaseSize() {
      return storage.sql.databaseSize;
    },
  };
  const kv = {
    get: (key: string) => {
      refuse('reading');
      return storage.kv.get(key);
    },
    put: (key: string, value: unknown) => {
      refuse('writing');
      storage.kv.put(key, value);
    },
  };
  const setAlarm = async (at: number): Promise<void> => {
    refuse('reading');
    await storage.setAlarm(at);
  };
  const getAlarm = async (): Promise<number | null> => {
    refuse('reading');
    return storage.getAlarm();
  };
  soundStorage.set(context, storage);
  const own = { sql, kv, transactionSync, setAlarm, getAlarm };
  const theirs = {
    sync: () => storage.sync(),
    deleteAlarm: () => storage.deleteAlarm(),
    deleteAll: () => storage.deleteAll(),
  };
  Object.defineProperty(context, 'storage', { value: { ...own, ...theirs } });
  return context;
}
