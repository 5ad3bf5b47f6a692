// Forge: what a tenant can make up: requests with the ids, leases, secrets and cursors of another, keys that were damaged
// or have other scopes, snapshots that nobody took. Each is refused or leads nowhere: no fault of the server, nothing of
// the other tenant in an answer, nothing changed there.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { scopes } from '../../packages/heddle/src/operations/scope.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { type Call, callsOf } from '../../tests/http/calls.testsuite.ts';
import { pointerOf, replaced } from '../hostile/definitions/sites.ts';
import { leavesOf, renamed, resealed, withChecksums } from './forged-snapshot.ts';
import { furnish, type Household, settle, takeStock } from './household.ts';
import type { Answer, Server } from './server.ts';

interface Forgery {
  readonly what: string;
  readonly send: () => Promise<Answer>;
  /** What it must be answered; null: anything but a fault. */
  readonly expected: { readonly status: number; readonly code: string } | null;
}

interface Stage {
  readonly server: Server;
  readonly dice: Dice;
  readonly victim: Household;
  /** Another tenant, and a key of it that may do everything. */
  readonly rival: { readonly key: string; readonly snapshot: unknown };
  /** In the tenant of the victim, without one scope each. */
  readonly lesser: ReadonlyMap<string, string>;
  readonly calls: readonly Call[];
}

const forgeriesPerLook = 40;

export async function forge(server: Server, dice: Dice, count: number): Promise<void> {
  const stage = await prepare(server, dice);
  const { victim } = stage;
  const before = await takeStock(server, victim);
  for (let number = 1; number <= count && !server.tally.isHopeless; number++) {
    await tryOut(stage, draw(stage));
    if (number % forgeriesPerLook === 0 || number === count) await compare(stage, before);
  }
  await settle(server, victim);
}

/** The names are those of the table of calls. */
async function prepare(server: Server, dice: Dice): Promise<Stage> {
  const victim = await furnish(server, 'acme', `mark-${dice.draw(1_000_000)}`);
  const other = await furnish(server, 'rival', 'rival');
  const lesser = new Map<string, string>();
  for (const scope of scopes) {
    const others = scopes.filter((each) => each !== scope);
    lesser.set(scope, (await server.keyFor(victim.tenant, others, 'lesser')).key);
  }
  // Copies of the store are dear, and no tenant's matter.
  const calls = callsOf(victim.ids).filter(({ name }) => name !== 'backUp' && name !== 'vacuum');
  return { server, dice, victim, rival: other, lesser, calls };
}

async function tryOut({ server, victim }: Stage, { what, send, expected }: Forgery): Promise<void> {
  const { tally } = server;
  const { status, text } = await send();
  tally.count('forged requests');
  const found = `${what} was answered ${status}: ${text.slice(0, 300)}`;
  if (text.includes(victim.mark)) tally.violate(`Expected nothing of another tenant, but ${found}`);
  if (expected !== null && (status !== expected.status || !text.includes(`"${expected.code}"`)))
    tally.violate(`Expected ${expected.status} ${expected.code}, but ${found}`);
}

async function compare({ server, victim }: Stage, before: Readonly<Record<string, string>>): Promise<void> {
  const after = await takeStock(server, victim);
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)]))
    if (before[path] !== after[path])
      server.tally.violate(`Expected ${path} of the other tenant as before, but ${before[path]} is now ${after[path]}`);
}

function draw(stage: Stage): Forgery {
  const make = stage.dice.pick([
    foreignCall,
    foreignCall,
    mixedCall,
    mixedCall,
    lesserKey,
    damagedKey,
    foreignCursor,
    restore,
  ]);
  return make(stage);
}

/** As the other tenant would call it, by a key of this one. */
function foreignCall({ server, dice, rival, calls }: Stage): Forgery {
  const call = pickCall(calls, dice);
  return { what: `${call.name} by another tenant`, send: () => ask(server, call, rival.key), expected: null };
}

/** The same, with something else at one place: of an id, or of the body. */
function mixedCall({ server, dice, rival, calls, victim }: Stage): Forgery {
  const call = pickCall(calls, dice);
  const ids = Object.values(victim.ids);
  const odd: readonly Json[] = ['', '\u0000', '../default', -1, 1e21, null, [], { $ref: '#' }, 'x'.repeat(3_000)];
  const value =
    dice.pick<Json | undefined>([dice.pick(ids), damaged(dice.pick(ids) ?? '', dice), dice.pick(odd)]) ?? '';
  const paths = call.body === undefined ? [] : leavesOf(call.body);
  const path = dice.pick(paths);
  const changed = path === undefined ? call : { ...call, body: replaced(call.body, path, value) as Json };
  const place =
    encodeURIComponent(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString()) || '-';
  const mixed = path === undefined ? { ...call, path: call.route.path.replaceAll(/\{\w+\}/g, () => place) } : changed;
  const what = `${call.name} with ${JSON.stringify(value).slice(0, 100)} at ${path === undefined ? 'its address' : pointerOf(path)}`;
  return { what, send: () => ask(server, withoutWaiting(mixed), rival.key), expected: null };
}

function lesserKey({ server, dice, lesser, calls }: Stage): Forgery {
  const call = pickCall(
    calls.filter(({ route }) => lesser.has(route.operation.scope)),
    dice,
  );
  const key = lesser.get(call.route.operation.scope) ?? '';
  const expected = { status: 403, code: 'SCOPE_MISSING' };
  return { what: `${call.name} without ${call.route.operation.scope}`, send: () => ask(server, call, key), expected };
}

function damagedKey({ server, dice, calls, victim, rival }: Stage): Forgery {
  const call = pickCall(
    calls.filter(({ route }) => route.operation.scope !== 'public'),
    dice,
  );
  const [, id = ''] = victim.key.split('_');
  const [, , ...secret] = rival.key.split('_');
  // The id of one key with the secret of another; one character that is not right.
  const key = dice.pick([`hdl_${id}_${secret.join('_')}`, damaged(victim.key, dice)]);
  const expected = { status: 401, code: 'KEY_INVALID' };
  return { what: `${call.name} with a forged key`, send: () => ask(server, call, key), expected };
}

function foreignCursor({ server, dice, rival, victim }: Stage): Forgery {
  const path = dice.pick(['runs', 'events', 'definitions', 'triggers', 'prompts', 'artifacts', 'keys', 'deliveries']);
  const cursor = dice.pick(victim.cursors) ?? '';
  const after = dice.chance(1, 3) ? damaged(cursor, dice) : cursor;
  const asked = `/v1/${path}?limit=100&after=${encodeURIComponent(after)}`;
  return { what: `${asked} by another tenant`, send: () => server.ask(asked, { key: rival.key }), expected: null };
}

/** A snapshot of the own tenant, or of the other, with something else in it, sealed by somebody who knows how. */
function restore({ server, dice, rival, victim }: Stage): Forgery {
  const isForeign = dice.chance(1, 4);
  const taken = (isForeign ? victim : rival).snapshot as Json;
  const path = dice.pick(leavesOf(taken)) ?? [];
  const values: readonly Json[] = [
    -1_000_000,
    0,
    1e300,
    '',
    null,
    [],
    {},
    victim.ids.correlationId,
    victim.ids.askingRunId,
  ];
  const changed = replaced(taken, path, dice.pick(values)) as Json;
  const body = dice.pick([
    changed,
    withChecksums(changed),
    resealed(withChecksums(changed), victim.key),
    renamed(changed, dice),
  ]);
  const isChanged = JSON.stringify(body) !== JSON.stringify(taken);
  const expected = { status: 422, code: 'SNAPSHOT_INVALID' };
  const what = `a snapshot ${isForeign ? 'of another tenant ' : ''}with something else at ${pointerOf(path)}`;
  const sending = (): Promise<Answer> => server.ask('/v1/runs/restore', { key: rival.key, body });
  return { what, send: sending, expected: isForeign || isChanged ? expected : null };
}

const pickCall = (calls: readonly Call[], dice: Dice): Call => {
  const call = dice.pick(calls);
  if (call === undefined) throw new Error('Expected a call, but there is none');
  return call;
};

async function ask(server: Server, { route, path, body }: Call, key: string): Promise<Answer> {
  const method = route.method;
  const content = route.content.type === 'bytes' ? 'some bytes' : body;
  const asking = { method, key, ...(content === undefined ? {} : { body: content }) };
  if (route.operation.answers.form !== 'stream') return server.ask(path, asking);
  const response = await server.fetch(path, asking);
  if (!response.ok) return { status: response.status, text: await response.text() };
  await response.body?.cancel(); // a stream of its own events has no end
  return { status: response.status, text: '' };
}

/** Nobody waits here: how long a caller waits is no part of the question. */
function withoutWaiting(call: Call): Call {
  const { body } = call;
  const waits = typeof body === 'object' && body !== null && 'waitMs' in body;
  return waits ? { ...call, body: { ...body, waitMs: 0 } } : call;
}

/** Another character at one place. */
function damaged(text: string, dice: Dice): string {
  const at = dice.draw(text.length);
  return `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;
}
