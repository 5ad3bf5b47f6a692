// Revoke: a key is lost while streams are open, calls wait and a body is on its way. Whatever happens after the loss was
// acknowledged reaches nobody who came with that key; who has another gets all of it.
//
// Always true: what is judged follows from the order of what was asked and answered, not from how long it took.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { Follower } from './follower.ts';
import { RawRequest } from './raw-request.ts';
import type { Answer, Key, Server } from './server.ts';

const definitions = [
  { id: 'quick', initialNode: 'a', nodes: [{ id: 'a', action: 'core.echo' }], transitions: [] },
  { id: 'asking', initialNode: 'a', nodes: [{ id: 'a', input: true }], transitions: [] },
  { id: 'working', initialNode: 'a', nodes: [{ id: 'a', action: 'remote.work' }], transitions: [] },
];
const tenant = 'club';
const longMs = 600_000;
/** More of these after the loss and a stream is open that should not be. */
const heartbeatsMost = 6;

/** A task that is not handed out in so many calls of a second each is not there. */
const pollsMost = 20;

type Way = (server: Server, id: string) => Promise<number>;

/** They answer with when the loss counts. */
const ways: Readonly<Record<string, Way>> = {
  revoked: (server, id) => server.revoke(id).then(() => 0),
  'rotated out': (server, id) => server.rotate(id, 0).then(() => 0),
  expired: async (server, id) => {
    const endsAt = await server.rotate(id, 100);
    while (Date.now() <= endsAt) await sleep(5);
    return endsAt;
  },
};

export async function revokeKeys(server: Server, dice: Dice, count: number): Promise<void> {
  const { key } = await server.keyFor(tenant);
  for (const body of definitions) await server.must('/v1/definitions', { key, body });
  // What went wrong once would show once more, and calls that nobody refuses wait for long.
  for (let number = 0; number < count && server.tally.violations.length === 0; number++) {
    const way = dice.pick(Object.keys(ways)) ?? 'revoked';
    await new Loss(server, key, way).play({ runs: dice.between(1, 4), isRacing: dice.chance(1, 2) });
    server.tally.count('keys lost');
  }
}

interface Openings {
  readonly all: Follower;
  readonly one: Follower;
  readonly witness: Follower;
  readonly lease: Promise<Answer>;
  readonly result: Promise<Answer>;
  readonly body: RawRequest;
}

class Loss {
  readonly #server: Server;
  /** Somebody's who stays. */
  readonly #key: string;
  readonly #way: string;
  /** Runs that were begun before the loss, and after it. */
  readonly #early = new Set<string>();
  readonly #late = new Set<string>();
  /** Runs whose tasks are for whoever asks next. */
  readonly #owed = new Set<string>();

  constructor(server: Server, key: string, way: string) {
    this.#server = server;
    this.#key = key;
    this.#way = way;
  }

  async play({ runs, isRacing }: { readonly runs: number; readonly isRacing: boolean }): Promise<void> {
    const lost = await this.#server.keyFor(tenant, ['run:read', 'run:start', 'task:work']);
    const asking = await this.#start('asking', this.#early);
    const open = await this.#open(lost, asking);
    for (let number = 0; number < runs; number++) {
      const heard = await this.#start('quick', this.#early);
      await open.all.until(({ runId }) => runId === heard);
    }
    const racing = isRacing ? [this.#start('working', this.#early), this.#start('quick', this.#early)] : [];
    const lostAt = await (ways[this.#way] as Way)(this.#server, lost.id);
    for (const follower of [open.all, open.one]) follower.heartbeats = 0;
    const [working] = await Promise.all(racing);
    await this.#goOn(asking);
    open.body.send(bodyText.slice(10));
    await this.#judge(open, lostAt);
    if (this.#server.tally.violations.length > 0) return;
    if (working !== undefined && (await open.lease).status === 401) this.#owed.add(working);
    await this.#workOff();
  }

  async #open({ key }: Key, asking: string): Promise<Openings> {
    const [all, one] = [
      await Follower.open(this.#server, '/v1/events/stream', key),
      await Follower.open(this.#server, `/v1/runs/${asking}/events/stream`, key),
    ];
    const body = new RawRequest(this.#server, { path: '/v1/runs', key, length: bodyText.length });
    await body.begun();
    body.send(bodyText.slice(0, 10));
    const waiting = { actions: ['remote.work'], waitMs: 60_000, leaseMs: longMs, worker: key.slice(0, 20) };
    const lease = this.#server.ask('/v1/tasks/lease', { key, body: waiting });
    const result = this.#server.ask(`/v1/runs/${asking}/result?waitMs=60000`, { key });
    const witness = await Follower.open(this.#server, '/v1/events/stream', this.#key);
    await this.#isWaiting(waiting.worker);
    return { all, one, witness, lease, result, body };
  }

  /** The call for tasks has reached the server. */
  async #isWaiting(worker: string): Promise<void> {
    for (;;) {
      const { text } = await this.#server.ask('/v1/workers?limit=1000', { key: this.#key });
      if (text.includes(worker)) return;
    }
  }

  /** What the one who has lost the key must not hear of. */
  async #goOn(asking: string): Promise<void> {
    await this.#start('quick', this.#late);
    this.#owed.add(await this.#start('working', this.#late));
    await this.#server.must(`/v1/runs/${asking}/cancel`, { key: this.#key, body: {} });
  }

  async #judge({ all, one, witness, lease, result, body }: Openings, lostAt: number): Promise<void> {
    for (const runId of this.#late) await witness.until((event) => event.runId === runId);
    witness.leave();
    for (const follower of [all, one]) await this.#judgeStream(follower, lostAt);
    if (this.#server.tally.violations.length > 0) return;
    this.#judgeLease(await lease);
    const { status, text } = await result;
    if (status !== 401) this.#violate(`a call for a result was answered ${status}: ${text}`);
    const ofBody = await body.answered();
    if (ofBody !== 401) this.#violate(`a request whose body came later was answered ${ofBody}`);
    const { items } = await this.#server.must<{ readonly items: readonly unknown[] }>('/v1/runs?tag=by=lost', {
      key: this.#key,
    });
    if (items.length > 0) this.#violate('a run was started by a request whose body came later');
  }

  async #judgeStream(follower: Follower, lostAt: number): Promise<void> {
    const tooMany = (async () => {
      while (follower.heartbeats <= heartbeatsMost) await sleep(20, undefined, { ref: false });
      return true;
    })();
    const isOpen = await Promise.race([follower.ended.then(() => false), tooMany]);
    follower.heartbeats = Infinity;
    if (isOpen) this.#violate('its stream is still open');
    else if (follower.problem?.includes('"KEY_INVALID"') !== true)
      this.#violate(`its stream ended with ${follower.problem}`);
    const heard = follower.events.find(({ runId, at }) => this.#late.has(runId) || (lostAt > 0 && at >= lostAt));
    if (heard !== undefined) this.#violate(`its stream delivered ${JSON.stringify(heard)}`);
    follower.leave();
  }

  /** It may have been handed what was there before. */
  #judgeLease({ status, text }: Answer): void {
    if (status === 401) return;
    const isEarly =
      status === 200 && text.includes('"lease"') && ![...this.#late].some((runId) => text.includes(runId));
    if (!isEarly) this.#violate(`a call for tasks was answered ${status}: ${text}`);
    this.#server.tally.count('tasks handed out before the loss');
  }

  /** Nobody else has the tasks of those who were refused. */
  async #workOff(): Promise<void> {
    const body = { actions: ['remote.work'], waitMs: 1_000, leaseMs: longMs, max: 100 };
    for (let polls = 0; this.#owed.size > 0 && polls < pollsMost; polls++) {
      const { tasks } = await this.#server.must<Leased>('/v1/tasks/lease', { key: this.#key, body });
      for (const { lease, runId } of tasks) {
        this.#owed.delete(runId);
        await this.#server.must('/v1/tasks/finish', { key: this.#key, body: { tasks: [{ lease, output: 1 }] } });
      }
    }
    for (const runId of this.#owed) this.#violate(`the task of run ${runId} is there for nobody else`);
  }

  async #start(workflow: string, among: Set<string>): Promise<string> {
    const { runId } = await this.#server.must<{ readonly runId: string }>('/v1/runs', {
      key: this.#key,
      body: { workflow },
    });
    among.add(runId);
    return runId;
  }

  #violate(what: string): void {
    this.#server.tally.violate(`Expected nothing for a key that was ${this.#way}, but ${what}`);
  }
}

interface Leased {
  readonly tasks: readonly { readonly lease: string; readonly runId: string }[];
}

const bodyText = JSON.stringify({ workflow: 'quick', tags: { by: 'lost' } });
