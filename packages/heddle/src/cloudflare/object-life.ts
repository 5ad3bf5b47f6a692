// Object life: the engine of one object: opened by whatever wakes it, kept awake while it works, asleep while nothing is to be
// done. Rules DO….
//
// Always true: before anything is asked of the engine it has resumed what an earlier life left; an alarm is set while there is
// anything left to do; the handler of the alarm never fails.

import type { Store } from '../actor/ports.ts';
import { sha256Hex } from '../base/hash.ts';
import type { Engine, EngineOptions } from '../engine/engine.ts';
import { openEngine } from '../engine/local-engine.ts';
import { homeShard } from '../engine/peers.ts';
import { Crew } from '../executor/crew.ts';
import { LocalShard } from '../fleet/local-shard.ts';
import { openOwnShard } from '../fleet/open-own-shard.ts';
import { openRunShard } from '../fleet/open-run-shard.ts';
import { type ObjectHost, openObjectStore } from '../hosts/durable-object/open.ts';
import { defaultTenant } from '../http/access.ts';
import { ApiKeys } from '../http/api-keys.ts';
import { refusedDefinition } from './checked-options.ts';
import { farObject, farStore } from './far-object.ts';
import { platformTransport } from './fetch-transport.ts';
import { ObjectClock } from './object-clock.ts';
import { askingAgain, askObject } from './object-stub.ts';
import { type HeddleOptions, report } from './options.ts';
import { objectName, type Place, shardsOf } from './place.ts';
import type { ObjectContext } from './platform.ts';
import { openProjector } from './projection/open-projector.ts';
import type { Projector } from './projection/projector.ts';
import { QueueCalls } from './queue-calls.ts';

/** How long one call of the alarm's handler keeps the object awake for its work; the platform allows fifteen minutes. */
const sliceMs = 20_000;
const lookMs = 100;
/** An object that cannot be opened is tried again. */
const retryMs = 60_000;
const placeKey = 'heddle-place';

export interface Awake {
  /** All shards of the tenant, as one. */
  readonly engine: Engine;
  /** The one that is here. */
  readonly shard: LocalShard;
  /** Of all that are known. */
  readonly stores: readonly Store[];
  /** Its actions. */
  readonly crew: Crew;
  /** Null where no queue does any. */
  readonly calls: QueueCalls | null;
}

interface Stored extends ObjectHost {
  readonly place: Place;
  readonly clock: ObjectClock;
  /** Absent: there is no projection. */
  readonly projector?: Projector;
}

export class ObjectLife<Env> {
  readonly #context: ObjectContext;
  readonly #env: Env;
  readonly #options: HeddleOptions<Env>;
  #stored: Stored | null = null;
  #waking: Promise<Awake> | null = null;
  #preparing: Promise<void> | null = null;
  #keys: ApiKeys | null = null;

  constructor(context: ObjectContext, env: Env, options: HeddleOptions<Env>) {
    this.#context = context;
    this.#env = env;
    this.#options = options;
  }

  /** Whoever asks an object says which it is: it does not know its own name, and keeps it for its alarm. */
  store(place: Place): Stored {
    const known = this.#stored ?? this.#openStore(place);
    this.#stored = known;
    if (objectName(known.place) === objectName(place)) return known;
    throw new Error(`Expected to be asked as ${objectName(known.place)}, but was asked as ${objectName(place)}`);
  }

  #openStore(place: Place): Stored {
    const { storage } = this.#context;
    if (storage.kv.get(placeKey) === undefined) storage.kv.put(placeKey, place);
    const { artifacts, secretKey } = this.#options;
    const secret = secretKey?.(this.#env);
    const host = openObjectStore(storage, {
      ...(artifacts ? { artifacts: artifacts(this.#env, objectName(place)) } : {}),
      ...(secret === undefined ? {} : { secretKey: keyOf(secret) }),
    });
    const clock = new ObjectClock((at) => host.alarm.wakeAt(at));
    const projector = openProjector({ options: this.#options, env: this.#env, place, host, clock });
    return { ...host, place, clock, ...(projector && { projector, store: projector.store }) };
  }

  /** For whoever comes from outside: the definitions of the program are there, in every shard. */
  async ready(place: Place): Promise<Awake> {
    const awake = await this.wake(place);
    this.#preparing ??=
      place.shard === homeShard ? this.#register(awake.engine) : askingAgain(this.#atHome(place))('ready');
    await this.#preparing.catch((error: unknown) => {
      this.#preparing = null;
      throw error;
    });
    return awake;
  }

  /**
   * For the other objects of the tenant. Whatever asks first waits until the engine has resumed; one that could not be opened is
   * tried again by the next.
   */
  wake(place: Place): Promise<Awake> {
    const stored = this.store(place);
    this.#waking ??= this.#open(stored).catch((error: unknown) => {
      this.#waking = null;
      throw error;
    });
    return this.#waking;
  }

  async #open(stored: Stored): Promise<Awake> {
    const { storage } = this.#context;
    stored.alarm.know(await storage.getAlarm());
    const queues = this.#options.queues?.(this.#env);
    const opened = await this.#openEngine(stored);
    if (queues === undefined) return { ...opened, calls: null };
    try {
      const calling = { ...stored, shard: opened.shard, report: (error: unknown) => report(this.#options, error) };
      return { ...opened, calls: await QueueCalls.open(queues, calling) };
    } catch (error) {
      await opened.engine.close({ graceMs: 0 });
      throw error;
    }
  }

  // DO13: one that could not be opened has closed its actions with it: the next has others.
  async #openEngine({ store, place, clock }: Stored): Promise<Omit<Awake, 'calls'>> {
    const crew = new Crew();
    const { placement = 'tenant' } = this.#options;
    const shards = shardsOf(placement);
    const options = this.#engineOptions(place, clock);
    if (shards === 1) {
      const engine = await openEngine(store, options, { crew });
      return { engine, shard: new LocalShard(engine), crew, stores: [store] };
    }
    const elsewhere = (shard: number) => farObject(this.#options.objects(this.#env), { ...place, shard });
    const { webhooks } = elsewhere(homeShard);
    const own = place.shard;
    if (placement === 'run') {
      const home = own === homeShard ? store : farStore(this.#atHome(place));
      const opened = await openRunShard({ own, store, home, elsewhere, webhooks, lists: {} }, options, { crew });
      return { ...opened, crew, stores: [store] };
    }
    if (own !== homeShard) await askingAgain(this.#atHome(place))('wake'); // which makes the fleet
    const stores = Array.from({ length: shards }, (_, shard) =>
      shard === place.shard ? store : farStore(this.#ask({ ...place, shard })),
    );
    const among = { own, stores: stores as [Store, ...Store[]], elsewhere, webhooks }; // there is one at least
    return { ...(await openOwnShard(among, options, { crew })), crew, stores };
  }

  #atHome({ tenant }: Place): ReturnType<typeof askObject> {
    return this.#ask({ tenant, shard: homeShard });
  }

  #ask(place: Place): ReturnType<typeof askObject> {
    return askObject(this.#options.objects(this.#env), place);
  }

  #engineOptions({ tenant }: Place, clock: ObjectClock): EngineOptions {
    const { http, ...options } = this.#options.engine?.(this.#env, tenant) ?? {};
    const onError: EngineOptions['onError'] = (error) => report(this.#options, error);
    return { workers: true, onError, ...options, http: { transport: platformTransport(), ...http }, clock };
  }

  /** DO6: those of the program. One that is wrong keeps no other, and no run, from going on. */
  async #register(engine: Engine): Promise<void> {
    for (const definition of this.#options.definitions ?? []) {
      const { problems, version } = await engine.register(definition as never); // whatever it is, the engine says what is wrong
      if (version === null) report(this.#options, refusedDefinition(definition, problems));
    }
  }

  /** Those of the server: they are in the first object of the operator's tenant. */
  keys({ store, clock, place }: Pick<Stored, 'store' | 'clock' | 'place'>): ApiKeys {
    const home: Place = { tenant: defaultTenant, shard: homeShard };
    const keyStore = objectName(place) === objectName(home) ? store : farStore(this.#ask(home));
    this.#keys ??= new ApiKeys(keyStore, clock, { operatorKey: this.#options.key(this.#env) });
    return this.#keys;
  }

  /** DO4: whatever becomes of the work, an alarm is set for what is left of it. */
  async ring(): Promise<void> {
    const { storage } = this.#context;
    try {
      const place = storage.kv.get(placeKey) as Place | undefined; // as it was put
      if (place === undefined) return; // nobody has asked anything of it
      const stored = this.store(place);
      stored.alarm.ring();
      const awake = await this.wake(place);
      await this.#work(awake, stored);
      await stored.projector?.catchUp();
      const hasLetters = (await stored.store.readOutbox(null, 1)).length > 0;
      stored.alarm.rearm(hasLetters || isAtWork(awake));
      const { wakeWithin = null } = stored.projector ?? {};
      if (wakeWithin !== null) stored.alarm.wakeAt(stored.clock.now() + wakeWithin);
      stored.clock.ring();
    } catch (error) {
      report(this.#options, error);
      const at = Date.now() + retryMs;
      await storage.setAlarm(at); // if not even that can be done, the platform calls again
      this.#stored?.alarm.know(at);
    }
  }

  /** The platform keeps an object in memory while it answers something, and the alarm is one that asks. */
  async #work(awake: Awake, { clock }: Stored): Promise<void> {
    const until = clock.now() + sliceMs;
    do {
      clock.ring();
      await new Promise<void>((resolve) => clock.schedule(clock.now() + lookMs, resolve));
    } while (isAtWork(awake) && clock.now() < until);
  }
}

/** What waits for a worker, a person, an event or a timer does not keep it awake: whatever comes wakes it. */
function isAtWork({ shard: { isIdle, engine }, crew }: Awake): boolean {
  const { host, traces } = engine.parts;
  return !isIdle || host.runner.isOwing || !crew.isIdle || traces?.isIdle === false;
}

/** 32 bytes, whatever the secret is. */
const keyOf = (secret: string): Uint8Array =>
  Uint8Array.from(sha256Hex(secret).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
