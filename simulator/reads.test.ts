// What the checks of a definition say cannot be read never is, in any run: programs read many things that are
// not there, on purpose. Every input that a task was given, and every output, is held against what was said.

import { expect, test } from 'vitest';
import type { Json } from '../packages/heddle/src/base/json.ts';
import { readPath } from '../packages/heddle/src/base/path.ts';
import { defaultLimits } from '../packages/heddle/src/definition/limits.ts';
import { parseDefinition } from '../packages/heddle/src/dialects/parse.ts';
import { Campaign } from './campaign.ts';
import { makeProgram } from './programs/make-program.ts';
import type { MakeWorkload, RunRecord } from './workload.ts';

/** Targets that are never written, by node; those of the definition's own output under no node. */
type Silent = ReadonlyMap<string | null, readonly (readonly string[])[]>;

interface Mapped {
  readonly id: string;
  readonly nodes: readonly { readonly id: string }[];
}

function silentTargets(definition: Json): Silent {
  const { problems } = parseDefinition(definition, { limits: defaultLimits });
  const { nodes } = definition as unknown as Mapped; // whoever made it says so
  const silent = new Map<string | null, string[][]>();
  for (const { code, pointer } of problems) {
    const [, index, node, end] = /^(?:\/nodes\/(\d+)\/inputMapping|(\/outputMapping))\/(.*)$/.exec(pointer) ?? [];
    if (code !== 'READS_NOTHING' || end === undefined) continue;
    const owner = node === undefined ? (nodes[Number(index)]?.id ?? '') : null;
    silent.set(owner, [...(silent.get(owner) ?? []), end.split('.')]);
  }
  return silent;
}

/** What tasks were given, and the output of the run, each with its node. */
function* given({ events, output }: RunRecord): Iterable<[string | null, Json]> {
  const nodes = new Map<number, string>();
  for (const event of events) {
    if (event.type === 'token.created')
      for (let i = 0; i < (event.count ?? 1); i += 1) nodes.set(event.token + i, event.node);
    if (event.type === 'task.dispatched' && event.input !== undefined)
      yield [nodes.get(event.token) ?? '', event.input];
  }
  if (output !== undefined) yield [null, output];
}

interface Tally {
  wrong: string[];
  /** Reads that were foretold to find nothing, and found nothing. */
  right: number;
}

function tallyRun(run: RunRecord, silent: Silent, tally: Tally): void {
  for (const [node, value] of given(run)) {
    for (const path of silent.get(node) ?? []) {
      if (readPath(value, path) === undefined) tally.right += 1;
      else tally.wrong.push(`${run.workflow} ${node}: ${path.join('.')} is there`);
    }
  }
}

async function play(make: MakeWorkload, seeds: number): Promise<Tally> {
  const tally: Tally = { wrong: [], right: 0 };
  const campaign = new Campaign([
    (dice) => {
      const workload = make(dice);
      const silent = new Map(
        workload.definitions.map((definition) => [(definition as unknown as Mapped).id, silentTargets(definition)]),
      );
      const check = (run: RunRecord): null => {
        tallyRun(run, silent.get(run.workflow) ?? new Map(), tally);
        return null;
      };
      return { ...workload, check };
    },
  ]);
  for (let seed = 1; seed <= seeds; seed += 1) await campaign.play(seed);
  return tally;
}

test('[DF66] what cannot be read never is', async () => {
  const { wrong, right } = await play(makeProgram, 8);
  expect(wrong).toEqual([]);
  expect(right).toBeGreaterThan(20);
});
