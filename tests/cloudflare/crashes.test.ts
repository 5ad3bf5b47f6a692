// Objects that die at a commit, each commit of several shapes of runs: before it, inside its transaction, after it, and once it is
// stored; and whose storage refuses it. Nobody asks an object after that: its alarm alone brings its runs to their ends.
//
// Always true: every point is an object of its own, and all are tried at a time, so that the fifteen seconds of the watch pass once.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../packages/heddle/src/client/client.ts';
import { isEverything, isInShare } from '../commit-share.testsuite.ts';
import { type Death, type Moment, moments } from './faults.ts';
import { FaultyWorkerd } from './outside.testsuite.ts';

interface Shape {
  readonly name: string;
  /** What is there before anything fails. */
  readonly prepare?: (client: Client) => Promise<unknown>;
  /** What its client does, in this order; each can be repeated. */
  readonly steps: readonly ((client: Client) => Promise<unknown>)[];
  /** How many runs end with a word to the outside. */
  readonly ends?: number;
  /** An action of it writes itself: where that is refused the action fails, and no commit of the engine's. */
  readonly writes?: true;
}

const started =
  (workflow: string, input: object = {}) =>
  (client: Client) =>
    client.start(workflow, input, { idempotencyKey: `start-${workflow}` });

const asked = async (client: Client): Promise<void> => {
  const run = await started('ask')(client);
  for await (const { type } of run.events({ follow: true })) if (type === 'input.requested') return;
};

const answered = async (client: Client): Promise<void> => {
  const run = await started('ask')(client);
  for (const { correlationId } of await run.prompts()) await run.reply(correlationId, { yes: true });
};

const called = (client: Client) => client.publish('call', { by: 'a test' }, { id: 'the-call', correlation: 'c' });

const onCall = {
  id: 'on-call',
  type: 'event',
  event: 'call',
  workflow: 'line',
  input: { of: 'event.correlation' },
} as const;

const shapes: readonly Shape[] = [
  { name: 'line', steps: [started('line')] },
  { name: 'fan', steps: [started('fan', { items: ['a', 'b', 'c', 'd'] })] },
  { name: 'parent', steps: [started('parent')] },
  { name: 'nap', steps: [started('nap')] },
  { name: 'flaky', steps: [started('flaky')] },
  { name: 'ask', steps: [asked, answered] },
  { name: 'await', steps: [started('await', { id: 'c' }), called] },
  { name: 'publish', steps: [started('await', { id: 'c' }), started('publish', { id: 'c' })], ends: 2, writes: true },
  { name: 'trigger', prepare: (client) => client.triggers.create(onCall), steps: [called] },
];

interface Point {
  readonly shape: Shape;
  readonly tenant: string;
  readonly client: Client;
  /** The steps whose answers came. */
  done: number;
}

/** What is refused is refused once more when it is tried again, and some of it for a while. */
const deathsAt = (commit: number, moment: Moment): readonly Death[] => [
  { commit, moment },
  ...(moment === 'refused' ? Array.from({ length: commit % 4 }, () => ({ commit: 1, moment })) : []),
];

describeObjects('[DO10]', { title: 'one object for each tenant' });
if (isEverything) describeObjects('[DO10] [ML3]', { title: '3 for each', shards: '3' });
describeObjects('[DO10] [SH18]', { title: 'one for every run', shards: 'run', part: 5 });

interface Objects {
  readonly title: string;
  readonly shards?: string;
  /** Of so many points one is tried. */
  readonly part?: number;
}

function describeObjects(rules: string, { title, shards, part = 1 }: Objects): void {
  let faulty: FaultyWorkerd;
  beforeAll(async () => {
    faulty = await FaultyWorkerd.open(shards === undefined ? {} : { bindings: { SHARDS: shards } });
  });
  afterAll(() => faulty.close());

  const make = async (shape: Shape, tenant: string): Promise<Point> => {
    const client = await faulty.tenant(tenant);
    await client.definitions();
    await shape.prepare?.(client);
    return { shape, tenant, client, done: 0 };
  };

  const goOn = async (point: Point): Promise<void> => {
    for (const step of point.shape.steps.slice(point.done)) {
      await step(point.client);
      point.done++;
    }
  };

  const hasEnded = ({ tenant, shape: { ends = 1 } }: Point): boolean =>
    new Set(faulty.outside.of(tenant).flatMap(({ nodeId, runId }) => (nodeId === 'end' ? [runId] : []))).size === ends;

  /** Where they cannot be listed, those that have told something. */
  const runsOf = async ({ client, tenant }: Point) => {
    if (shards !== 'run') return client.runs({ limit: 100 });
    const ids = new Set(faulty.outside.of(tenant).map(({ runId }) => runId));
    return Promise.all([...ids].map((id) => client.run(id).summary()));
  };

  /** What is recorded of all runs of a tenant, without what tells of hand-outs. */
  const recorded = async (point: Point): Promise<readonly string[]> => {
    const { client } = point;
    const found: string[] = [];
    for (const { runId, workflow } of await runsOf(point)) {
      const { status } = await client.run(runId).result();
      found.push(`${workflow}: ${status}`);
      for await (const event of client.run(runId).events()) found.push(`${workflow}: ${event.type}`);
    }
    return found.filter((each) => !/: (tasks?|step)\.|: workflow\.(suspended|resumed)/.test(each)).toSorted();
  };

  test(`${rules} an object that dies at any commit brings its runs to their ends by its alarm alone: ${title}`, async () => {
    const models = await Promise.all(
      shapes.map(async (shape) => {
        const point = await make(shape, `model-${shape.name}`);
        await faulty.faults(point.tenant, { deaths: [] });
        await goOn(point);
        await faulty.outside.until(() => hasEnded(point));
        const records = await recorded(point);
        const { commits } = await faulty.faults(point.tenant);
        return { shape, commits, records };
      }),
    );
    const every = models.flatMap(({ shape, commits }, of) =>
      Array.from({ length: commits }, (_, n): readonly (readonly [Shape, number, Moment])[] =>
        moments
          .filter((__, index) => isEverything || isInShare(of + n + index, moments.length))
          .filter((moment) => moment !== 'refused' || shape.writes !== true)
          .map((moment) => [shape, n + 1, moment] as const),
      ).flat(),
    );
    const all = isEverything ? every : every.filter((_, n) => n % part === 0);
    const points: Point[] = [];
    const waiting = all.values();
    const work = async (): Promise<void> => {
      for (const [shape, commit, moment] of waiting) {
        const point = await make(shape, `${shape.name}-${commit}-${moment}`);
        points.push(point);
        await faulty.faults(point.tenant, { deaths: deathsAt(commit, moment) });
        await goOn(point).catch(() => undefined); // it died before it could answer
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    const accepted = points.filter(({ shape, done }) => done === shape.steps.length);
    await faulty.outside.until(() => accepted.every(hasEnded));
    // Whoever asks again meets no fault that is left over.
    await Promise.all(points.map(({ tenant }) => faulty.faults(tenant, { deaths: [] })));
    await Promise.all(points.map(goOn));
    await faulty.outside.until(() => points.every(hasEnded));
    let died = 0;
    for (const point of points) {
      const seen = await faulty.faults(point.tenant);
      died += seen.died;
      const found = await recorded(point);
      expect([point.tenant, found]).toEqual([point.tenant, models.find(({ shape }) => shape === point.shape)?.records]);
      if (shards !== 'run') expect([point.tenant, (await point.client.audit()).problems]).toEqual([point.tenant, []]);
      const unexpected = seen.errors.filter((error) => !error.includes('SQLITE_FULL'));
      expect([point.tenant, unexpected]).toEqual([point.tenant, []]);
      const keys = new Map<string, string>();
      for (const { runId, tokenId, key } of faulty.outside.of(point.tenant)) {
        const token = `${runId} ${tokenId}`;
        expect([token, keys.get(token) ?? key]).toEqual([token, key]);
        keys.set(token, key);
      }
    }
    // Some points are not reached again, where fewer commands share a commit.
    expect(died).toBeGreaterThan(0.9 * all.length);
  });
}
