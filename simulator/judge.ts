// Judge: lets a world play, and has everything looked at that must be true of it.

import type { DefinitionRow } from '../packages/heddle/src/actor/ports.ts';
import { isMoving } from '../packages/heddle/src/actor/refusals.ts';
import { StoreError } from '../packages/heddle/src/actor/store-error.ts';
import { HeddleError } from '../packages/heddle/src/base/heddle-error.ts';
import type { Fault, Faults } from '../packages/heddle/src/simulation/faults.ts';
import type { Play } from '../packages/heddle/src/simulation/play.ts';
import type { World } from '../packages/heddle/src/simulation/world.ts';
import { checkStrays } from './check-strays.ts';
import { CommitCheck } from './checks/check-commits.ts';
import type { FeedCheck } from './checks/check-feed.ts';
import { checkOwners, type LeaseCheck } from './checks/check-leases.ts';
import { checkShared } from './checks/check-places.ts';
import { WorkerCheck } from './checks/check-workers.ts';
import { checkWorld } from './checks/check-world.ts';
import { Globals } from './checks/globals.ts';
import type { Violation } from './checks/violation.ts';
import { readStores } from './checks/world-view.ts';
import { readAllRuns } from './read-runs.ts';
import { sometimes } from './sometimes.ts';
import type { RunRecord, Workload } from './workload.ts';

export interface Judgement {
  readonly violation: string | null;
  readonly marks: ReadonlySet<string>;
}

/** Looks at every commit as it is made. */
export function followCommits(world: World): CommitCheck {
  const { store, hash, limits, faults } = world;
  const workers = new WorkerCheck({
    limits,
    // Of several processes one may have lost a shard, and not know it yet.
    isPrompt: !world.isRestless && !lateAnswers.some((fault) => faults.has(fault)),
    isPunctual: () => !world.isRestless && !hasHappened(badClocks, faults),
    now: () => world.now,
  });
  return new CommitCheck({
    limits,
    hash,
    workers,
    // The store is in memory, and answers at once.
    bodyOf: (workflow, version) => (store.findDefinition(workflow, version) as DefinitionRow | null)?.body,
    processOf: () => world.lives,
  });
}

/** What follows a world while it plays. */
export interface Checks {
  readonly commits: CommitCheck;
  readonly feed: FeedCheck;
  readonly leases: LeaseCheck;
}

export async function judge(workload: Workload, play: Play, { commits, feed, leases }: Checks): Promise<Judgement> {
  const marks = new Set<string>();
  try {
    const unfinished = await play.play();
    const broken = commits.violation ?? leases.violation;
    if (broken) return { violation: describeViolation(broken), marks };
    if (unfinished !== null) return { violation: `I46 ${unfinished}`, marks };
    return {
      violation: (await lookAround(workload, play, commits, marks)) ?? (await lookAtShards(play, feed)),
      marks,
    };
  } catch (error) {
    return { violation: error instanceof Error ? (error.stack ?? error.message) : String(error), marks };
  }
}

const describeViolation = ({ invariant, runId, seq, message }: Violation): string =>
  `${invariant} in run ${runId} at row ${seq}: ${message}`;

/** What makes the answer to a commit come later than the commit. */
const lateAnswers: readonly Fault[] = ['slow-store', 'lost-answer', 'late-write'];

/** What makes alarms late. */
const badClocks: readonly Fault[] = ['clock-jumps', 'bad-alarms', 'slow-engine'];

/** What makes timers late. */
const delays: readonly Fault[] = [
  ...badClocks,
  'crash',
  'crash-before-commit',
  'crash-after-commit',
  'crash-in-recovery',
  'store-fails',
  'store-down',
  'commit-fails',
  'lost-answer',
  'late-write',
];

const hasHappened = (kinds: readonly Fault[], { injected }: Faults): boolean =>
  kinds.some((kind) => injected.has(kind));

/** When everything has ended. */
async function lookAround(
  workload: Workload,
  play: Play,
  { checks }: CommitCheck,
  marks: Set<string>,
): Promise<string | null> {
  const { world, operations, calls } = play;
  const { stores, hash, limits, faults } = world;
  if (workload.isSound && play.refused[0]) return `Expected a sound definition to register, but ${play.refused[0]}`;
  const told = play.errors.find((error) => !isForeseen(error, workload));
  if (told) return `Expected no error to be told but those that are foreseen, but ${told.stack ?? told.message}`;
  const runs = await readAllRuns(stores, { hash, limits });
  const wrong =
    (await workload.checkWorld?.({
      runs,
      operations,
      stores,
      faults: faults.injected,
      isShared: world.isRestless,
    })) ?? compare(workload, runs);
  if (wrong !== null) return wrong;
  // While a shard moves nobody works on it.
  const isPunctual = !world.isRestless && !hasHappened(delays, faults);
  const view = { ...(await readStores(stores)), runs, operations, calls, limits, hash, checks, globals, isPunctual };
  const broken = checkWorld(view, 'rest');
  if (broken) return describeViolation(broken);
  sometimes({ ...view, faults: faults.injected }, (name) => void marks.add(name));
  return findStrays(play);
}

/** What is of no run, in a world of several shards. */
async function lookAtShards({ world: { stores }, owners }: Play, feed: FeedCheck): Promise<string | null> {
  if (stores.length === 1) return null;
  const broken = checkOwners(owners) ?? feed.compare() ?? (await checkShared(stores));
  return broken && describeViolation(broken);
}

/** A letter that has overtaken another is refused, which its sender tells of (ML6), and so is what finds no owner (OW5). */
const overtaken = 'LETTER_OUT_OF_ORDER';

const isForeseen = (error: Error, { errors = [] }: Workload): boolean =>
  error instanceof StoreError ||
  isMoving(error) ||
  (error instanceof HeddleError && (errors.includes(error.code) || error.code === overtaken));

const globals = new Globals();

function compare(workload: Workload, records: readonly RunRecord[]): string | null {
  for (const record of records) {
    const { runId, workflow, quarantine } = record;
    if (quarantine !== null) return `${runId} (${workflow}) is in quarantine: ${quarantine}`;
    const wrong = workload.isSound ? workload.check(record, records) : null;
    if (wrong !== null) return `${runId} (${workflow}) is not what the oracle says: ${wrong}`;
  }
  return null;
}

/** Now and then: it costs as much as a run. */
async function findStrays({ world }: Play): Promise<string | null> {
  const { dice, store, stores } = world;
  return dice.chance(1, 8) ? checkStrays(dice.pick(stores) ?? store, dice) : null;
}
