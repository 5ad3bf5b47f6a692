// The program of the tests with faults: its objects die at a commit, lose questions on the way, and are refused by their storage,
// as the test has told beforehand. The test is answered beside the objects, so that it wakes none.
//
// Always true: only what the platform gives (`ctx.storage`, a question's way) is made to fail; the engine is as it is delivered.

import type { Question } from '../../packages/heddle/src/cloudflare/object-stub.ts';
import type { Place } from '../../packages/heddle/src/cloudflare/place.ts';
import { heddle, type RpcWork, rpcAction, rpcWorker } from '../../packages/heddle/src/cloudflare.ts';
import type { CrossingAnswer } from '../../packages/heddle/src/fleet/crossing-answer.ts';
import {
  type Env,
  faultsOf,
  faulty,
  nameOf,
  type PlatformContext,
  soundStorage,
  tellFaults,
  theirFaults,
} from './faults.ts';
import { definitions, largeText } from './shapes.ts';

/** Read once, when the program is loaded: it differs by test. */
const { SHARDS, OLDER, PAYLOAD } =
  (globalThis as { process?: { env: Readonly<Record<string, string | undefined>> } }).process?.env ?? {};

const { HeddleObject: Base, worker } = heddle<Env>({
  objects: (env) => env.HEDDLE,
  key: (env) => env.HEDDLE_KEY,
  placement: SHARDS === undefined ? 'tenant' : SHARDS === 'run' ? 'run' : { shards: Number(SHARDS) },
  definitions: definitions(OLDER ?? ''),
  onError: (error) => theirFaults().errors.push(String(error)),
  engine: (env, tenant) => ({
    onError: (error) => faultsOf(tenant).errors.push(String(error)),
    ...(PAYLOAD === undefined
      ? {}
      : { limits: { payloadBytesMax: Number(PAYLOAD), definitionBytesMax: Number(PAYLOAD) } }),
    actions: {
      double: rpcAction(wayTo(env.WORK), 'double'),
      elsewhere: rpcAction(env.WORK, 'nothing of that name'),
      ...(OLDER === undefined ? { later: async () => ({ came: true }) } : {}),
      async tell({ input, runId, nodeId, tokenId, idempotencyKey, attempt }) {
        const body = JSON.stringify({
          tenant,
          runId,
          nodeId,
          tokenId,
          key: idempotencyKey,
          attempt,
          program: OLDER ?? 'newest',
        });
        await env.OUTSIDE.fetch('http://outside/', { method: 'POST', body });
        if (attempt <= Number(input['failures'] ?? 0)) throw Object.assign(new Error('once more'), { retryable: true });
        return { told: true, of: input['of'] ?? null };
      },
      async large({ input }) {
        return { text: largeText(Number(input['size'])) };
      },
      largeThere: rpcAction(env.WORK, 'large'),
      async publish({ publish, input, idempotencyKey }) {
        const correlation = input['id'] as string; // as tests start it
        const { eventId } = await publish('call', {}, { id: idempotencyKey, correlation });
        return { eventId };
      },
    },
  }),
});

/** What another Worker does. */
export const Work = rpcWorker({
  async double({ idempotencyKey, ...task }) {
    theirFaults().works.push(idempotencyKey);
    const fault = faultIn(task);
    if (fault === 'throws') throw Object.assign(new Error('is gone'), { retryable: true });
    if (fault === 'is silent') await new Promise(() => undefined);
    return { n: 2 * Number(task.input['n']) };
  },
  large: ({ input }) => ({ text: largeText(Number(input['size'])) }),
});

type Worked = Pick<RpcWork, 'input' | 'attempt'>;

/** What becomes of an attempt is told by its task. */
const faultIn = ({ input, attempt }: Worked): unknown =>
  attempt <= Number(input['failures'] ?? 0) ? input['fault'] : null;

/** The way to the other Worker, on which questions and answers are lost. */
function wayTo(binding: object): object {
  const there = binding as { work(name: string, task: Worked, untilAborted: unknown): Promise<unknown> }; // one of `rpcWorker`
  return {
    async work(name: string, task: Worked, untilAborted: unknown): Promise<unknown> {
      const fault = faultIn(task);
      if (fault === 'is not reached') throw new Error('Network connection lost.');
      const answer = await there.work(name, task, untilAborted);
      if (fault === 'loses its answer') throw new Error('Network connection lost.');
      return answer;
    },
  };
}

/** Every object fails as it was told. */
export class HeddleObject extends Base {
  readonly #tenant: string;

  constructor(context: PlatformContext, env: Env) {
    const name = nameOf(context);
    super(faulty(context, faultsOf(name)) as never, env);
    this.#tenant = name;
  }

  override async ask(place: Place, question: Question): Promise<CrossingAnswer> {
    const { name, args } = question;
    const what = name === 'peer' ? `peer ${String((args as readonly [readonly unknown[]])[0][0])}` : name;
    const faults = faultsOf(this.#tenant);
    faults.asked[what] = (faults.asked[what] ?? 0) + 1;
    const fault = faults.takeLoss(what);
    if (fault === 'before') throw new Error('Network connection lost.');
    if (fault === 'twice') await super.ask(place, question);
    const answer = await super.ask(place, question);
    if (fault === 'after') throw new Error('Network connection lost.');
    return answer;
  }

  override async alarm(): Promise<void> {
    const faults = faultsOf(this.#tenant);
    faults.alarms++;
    await super.alarm();
    faults.rings++;
  }

  /** What only a test does to an object. */
  async do(what: 'die' | 'loseAlarm' | 'ringTwice' | 'alarmAt' | 'aside', at = 0): Promise<unknown> {
    const { ctx } = this as unknown as { readonly ctx: PlatformContext }; // every object has it
    const storage = soundStorage.get(ctx) ?? ctx.storage;
    if (what === 'die') ctx.abort('killed by a test');
    if (what === 'loseAlarm') await storage.deleteAlarm();
    if (what === 'ringTwice') await Promise.all([this.alarm(), this.alarm()]);
    if (what === 'alarmAt' && at > 0) await storage.setAlarm(at);
    if (what === 'aside')
      return storage.sql.exec('SELECT run_id, quarantine FROM runs WHERE quarantine IS NOT NULL').toArray();
    return storage.getAlarm();
  }
}

export default {
  scheduled: worker.scheduled,
  fetch: (request: Request, env: Env): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    return pathname === '/faults' ? tellFaults(request, searchParams.get('tenant') ?? '') : worker.fetch(request, env);
  },
};
