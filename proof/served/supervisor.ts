// Supervisor: makes rounds until there were enough kills, checks each, tells how it goes, and says in the end what was
// found.
//
// Always true: it is never killed; when it ends, so has every process that it started.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleWhole } from '../kill/bundle-whole.ts';
import { checkBackups } from '../kill/check-backups.ts';
import { checkDeletions } from '../kill/check-deletions.ts';
import { checkEnds, endsUndisturbed } from '../kill/check-ends.ts';
import { checkLedger } from '../kill/check-ledger.ts';
import { gatherEvidence, inspectStore } from '../kill/evidence.ts';
import { Nursery } from '../kill/line-process.ts';
import { fileAt } from '../kill/place.ts';
import { report } from '../kill/report.ts';
import type { Plan } from '../kill/supervisor.ts';
import { checkStreams } from './check-streams.ts';
import { checkWork } from './check-work.ts';
import { readExchanges } from './exchanges.ts';
import { Mortal } from './processes.ts';
import { Round } from './round.ts';
import { Tally } from './tally.ts';

/** One store sees so many; then it is checked, and another one made. */
const killsPerRound = 200;
/** From so many on, whatever can happen must have happened. */
const killsForEverything = 200;
const tellEveryMs = 10_000;

interface Surroundings {
  readonly folder: string;
  readonly plan: Plan;
  readonly servers: Nursery<Mortal>;
  readonly workers: Nursery<Mortal>;
  readonly tally: Tally;
}

/** Answers with the exit code. */
export async function supervise(plan: Plan): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-served-'));
  const serverProgram = await bundleWhole(import.meta.url, 'server-process');
  const workerProgram = await bundleWhole(import.meta.url, 'worker-process');
  const servers = new Nursery(() => new Mortal(serverProgram));
  const workers = new Nursery(() => new Mortal(workerProgram));
  const tally = new Tally();
  const timer = setInterval(() => process.stderr.write(`${tally.progress()}\n`), tellEveryMs);
  try {
    for (let number = plan.round; tally.kills < plan.kills && !tally.isHopeless; number++)
      await makeRound({ folder, plan, servers, workers, tally }, number);
  } finally {
    clearInterval(timer);
    await Promise.all([servers.endAll(), workers.endAll()]);
    for (const program of [serverProgram, workerProgram]) rmSync(program);
  }
  if (tally.kills >= killsForEverything) {
    for (const missing of tally.missing)
      tally.violations.push(`Expected at least one of ${missing}, but there was none`);
  }
  const isLeft = plan.keep || tally.violations.length > 0;
  if (!isLeft) rmSync(folder, { recursive: true });
  report('served', plan.seed, tally, isLeft ? folder : null);
  return tally.violations.length === 0 ? 0 : 1;
}

async function makeRound({ folder, plan, servers, workers, tally }: Surroundings, number: number): Promise<void> {
  const kills = Math.min(killsPerRound, plan.kills - tally.kills);
  const own = path.join(folder, `round-${number}`);
  mkdirSync(own);
  const known = tally.violations.length;
  const seed = plan.seed * 1_000_003 + number * 101;
  const round = new Round({ folder: own, seed, servers, workers, tally, port: await freePort() });
  tally.begin(round.client);
  await round.kill(kills);
  await round.finish();
  // What went wrong before would show here once more, and often.
  if (tally.violations.length === known) await checkRound(round, tally);
  if (tally.violations.length === known) {
    if (!plan.keep) rmSync(own, { recursive: true });
    return;
  }
  const repeat = `node scripts/prove.mjs run served --kills ${kills} --seed ${plan.seed} --round ${number} --keep`;
  tally.hints.push(`Round ${number} again: ${repeat}`);
}

/** For all servers of a round, one after the other: whoever comes back finds the next one there. */
function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // it listens on a port
      server.close(() => resolve(port));
    });
  });
}

async function checkRound({ client, files, followers, reaper }: Round, tally: Tally): Promise<void> {
  const complain = (complaint: string): void => void tally.violations.push(complaint);
  const place = fileAt(files.file);
  for (const complaint of await inspectStore(place, reaper.logBytesMost)) complain(complaint);
  const evidence = await gatherEvidence({ place, effects: files.effects }, client.ledger);
  checkLedger(client.ledger, evidence, complain);
  await checkDeletions(client.ledger, evidence, { place, complain });
  await checkBackups({ ledger: client.ledger, evidence, place, complain });
  tally.worked(checkWork(evidence, readExchanges(files.exchanges), complain));
  tally.streamed(await checkStreams(followers.all, evidence, { file: files.file, complain }), followers.returns);
  checkEnds(evidence, await endsUndisturbed(client.ledger), complain);
}
