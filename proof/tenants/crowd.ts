// Crowd: one tenant sends all that is dear (mappings, loops, fan-outs, large bodies, bodies that never end, streams that
// nobody reads), and another wants small runs. All of those complete, and rightly; the server answers whoever asks how it
// is, survives a kill in the midst of it, and its memory stays within a bound. How fast it goes is measured, and no verdict.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { attacks } from './attacks.ts';
import type { Server } from './server.ts';

const small = {
  id: 'small',
  initialNode: 'double',
  nodes: [
    {
      id: 'double',
      action: 'core.echo',
      inputMapping: { n: 'input.n * 2' },
      outputMapping: { 'state.n': 'result.n' },
    },
    { id: 'plus', action: 'core.echo', inputMapping: { n: 'state.n + 1' }, outputMapping: { 'output.n': 'result.n' } },
  ],
  transitions: [{ from: 'double', to: 'plus' }],
};

/** Far above what an honest server has, and far below what one would have that keeps all that it is sent. */
const bytesMost = 1_536 * 1_048_576;
const runsAtOnce = 4;

/** Half of the attacks, in random order, before the kill, and half after it; so many small runs beside each half. */
export async function crowd(open: () => Promise<Server>, dice: Dice, runs: number): Promise<void> {
  let server = await open();
  const { tally } = server;
  const names = shuffled(Object.keys(attacks), dice);
  const { key } = await server.keyFor('small');
  await server.must('/v1/definitions', { key, body: small });
  const alone = await paceOf(server, key, runs);
  const beside = await besideAttacks(server, { key, runs, names: names.slice(0, names.length / 2) });
  // What was acknowledged just before is there after a kill, whatever else there is to recover.
  const left = await Promise.all(Array.from({ length: runsAtOnce }, (_, n) => startSmall(server, key, n)));
  tally.bytesMost = Math.max(tally.bytesMost, await server.bytesMost());
  await server.kill();
  server = await open();
  for (const [n, runId] of left.entries()) await judge(server, key, { runId, n });
  const after = await besideAttacks(server, { key, runs, names: names.slice(names.length / 2) });
  tally.bytesMost = Math.max(tally.bytesMost, await server.bytesMost());
  await server.kill();
  tally.pace((beside + after) / 2 / alone);
  if (tally.bytesMost > bytesMost)
    tally.violate(`Expected a server of at most ${bytesMost} bytes, but it had ${tally.bytesMost}`);
}

function shuffled(names: readonly string[], dice: Dice): readonly string[] {
  const left = [...names];
  return names.flatMap(() => left.splice(dice.draw(left.length), 1));
}

interface Beside {
  readonly key: string;
  readonly runs: number;
  /** Of the attacks. */
  readonly names: readonly string[];
}

/** Small runs until the attacks have begun; answers with their pace. */
async function besideAttacks(server: Server, { key, runs, names }: Beside): Promise<number> {
  const attacker = (await server.keyFor('heavy')).key;
  const open: (() => void)[] = [];
  const over = new AbortController();
  const attacking = (async () => {
    for (const name of names) {
      open.push(await (attacks[name] as (typeof attacks)[string])(server, attacker));
      server.tally.count('attacks');
    }
    over.abort();
  })();
  const asking = (async () => {
    while (!over.signal.aborted) await checkHealth(server);
  })();
  const paces = [await paceOf(server, key, runs)];
  while (!over.signal.aborted) paces.push(await paceOf(server, key, runsAtOnce));
  await Promise.all([attacking, asking]);
  for (const leave of open) leave();
  return paces.reduce((sum, pace) => sum + pace, 0) / paces.length;
}

async function checkHealth(server: Server): Promise<void> {
  const { status } = await server.ask('/health');
  if (status !== 200) server.tally.violate(`Expected the server to be well, but it answers ${status}`);
  await sleep(50);
}

/** Runs a second. */
async function paceOf(server: Server, key: string, runs: number): Promise<number> {
  const from = performance.now();
  let next = 0;
  const workOff = async (): Promise<void> => {
    while (next < runs) {
      const n = next++;
      await judge(server, key, { runId: await startSmall(server, key, n), n });
      server.tally.count('runs beside hostile tenants');
    }
  };
  await Promise.all(Array.from({ length: runsAtOnce }, workOff));
  return (runs * 1_000) / (performance.now() - from);
}

async function startSmall(server: Server, key: string, n: number): Promise<string> {
  const { status, text } = await server.ask('/v1/runs', { key, body: { workflow: 'small', input: { n } } });
  if (status === 201) return (JSON.parse(text) as { readonly runId: string }).runId;
  server.tally.violate(`Expected a small run to be started, but it was answered ${status}: ${text}`);
  return '';
}

async function judge(
  server: Server,
  key: string,
  { runId, n }: { readonly runId: string; readonly n: number },
): Promise<void> {
  if (runId === '') return;
  let text = '';
  do ({ text } = await server.ask(`/v1/runs/${runId}/result?waitMs=60000`, { key }));
  while (text.includes('"ended":false'));
  if (!text.includes(`"output":{"n":${2 * n + 1}}`))
    server.tally.violate(`Expected the small run of ${n} to give ${2 * n + 1}, but found ${text}`);
}
