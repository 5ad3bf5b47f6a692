// CheckEnds: every run ends as it does in an engine that is never killed: the same actions and answers, on a store in
// memory, in this very process.

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { createEngine, type Engine, type RunResult, type RunSummary } from '../../packages/heddle/src/index.ts';
import { actionsOf } from './actions.ts';
import { organizations } from './client.ts';
import type { Complain, Evidence } from './evidence.ts';
import type { Ledger } from './ledger.ts';
import type { Start } from './protocol.ts';
import { definitions, eventFor, wordOf } from './workflows.ts';

/** How a run ended, without what differs from one engine to the next. */
interface End {
  readonly status: string;
  readonly output: Json | undefined;
  readonly code: string | undefined;
}

/** Of a run that asks, and does not wait for long. */
const endOfHurry = (word: Json | undefined): End => ({
  status: 'completed',
  output: { word: word ?? 'too late' },
  code: undefined,
});

/** By the keys of their starts. */
export type Ends = ReadonlyMap<string, End>;

export function checkEnds({ runs, records }: Evidence, undisturbed: Ends, complain: Complain): void {
  for (const kind of ['event-wait', 'open-prompt'] as const) {
    for (const key of records.get(kind)?.keys() ?? []) complain(`Expected nobody to wait, but there is ${kind} ${key}`);
  }
  for (const { summary, events } of runs.values()) {
    const { runId, workflow, status, quarantine, endedAt, parentRunId, tags } = summary;
    if (endedAt === null || quarantine !== null)
      complain(`Expected run ${runId} to have ended, but it is ${status} (${quarantine ?? 'not in quarantine'})`);
    if (parentRunId !== null || workflow === 'ship' || workflow === 'thank' || status === 'cancelled') continue;
    const expected = workflow === 'hurry' ? endOfHurry(wordTaken(events)) : undisturbed.get(tags['key'] ?? '');
    const found = endOf(summary);
    if (!isDeepStrictEqual(found, expected))
      complain(
        `Expected run ${runId} of ${workflow} to end as ${JSON.stringify(expected)}, but found ${JSON.stringify(found)}`,
      );
  }
}

/** What a run was answered, if it was. */
function wordTaken(events: readonly RunEvent[]): Json | undefined {
  const answered = events.find((event) => event.type === 'input.resumed');
  return (answered?.payload as JsonObject | undefined)?.['word']; // as the client sends it
}

export async function endsUndisturbed(ledger: Ledger): Promise<Ends> {
  const starts = ledger.of('start').filter(({ operation }) => operation.workflow !== 'hurry');
  const engine = await createEngine({ actions: actionsOf(() => undefined) });
  for (const definition of definitions) await engine.register(definition);
  await engine.credits.deposit(organizations.rich, 1_000_000_000);
  const ends = new Map<string, End>();
  const endings: Promise<void>[] = [];
  const numbers = new Map<string, number>();
  for (const { operation } of starts) {
    const number = Number(operation.input['number']);
    const { id } = await engine.start(operation.workflow, operation.input, payerOf(operation));
    numbers.set(id, number);
    const event = eventFor(operation.workflow, number);
    if (event) await engine.publish(event.name, event.payload, { correlation: event.correlation });
    endings.push(
      engine
        .run(id)
        .result()
        .then((result) => void ends.set(operation.key, endOf(result))),
    );
  }
  await answerAll(engine, numbers, Promise.all(endings));
  await engine.close();
  return ends;
}

const payerOf = ({ organization }: Start): { organization?: string } =>
  organization === undefined ? {} : { organization };

/** Until all is over. */
async function answerAll(
  engine: Engine,
  numbers: ReadonlyMap<string, number>,
  allEnded: Promise<unknown>,
): Promise<void> {
  const over = allEnded.then(() => true);
  while (!(await Promise.race([over, sleep(10, false)]))) {
    for (const { correlationId, rootRunId, nodeId } of await engine.prompts({ limit: 1_000 }))
      await engine.run(rootRunId).reply(correlationId, wordOf(numbers.get(rootRunId) ?? 0, nodeId));
  }
}

function endOf({ status, output, error }: RunResult | RunSummary): End {
  return { status, output: withoutReceipts(output), code: error?.code };
}

/** A graph of dataflow gives out everything that its nodes gave. */
function withoutReceipts(output: Json | undefined): Json | undefined {
  if (output === undefined) return undefined;
  return JSON.parse(JSON.stringify(output, (key, value: unknown) => (key === 'receipt' ? undefined : value))) as Json;
}
