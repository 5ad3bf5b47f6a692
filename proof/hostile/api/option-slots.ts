// Option slots: every argument of the public API but the payloads, and what each may be.

import { defineNodeType } from '../../../packages/heddle/src/dialects/dataflow/nodes/node-type.ts';
import { convertToToken } from '../../../packages/heddle/src/engine/convert.ts';
import type { Engine } from '../../../packages/heddle/src/engine/engine.ts';
import { startFromEvent } from '../../../packages/heddle/src/engine/handle-event.ts';
import { openEngine } from '../../../packages/heddle/src/engine/local-engine.ts';
import { memoryStore } from '../../../packages/heddle/src/hosts/memory/store.ts';
import type { Stage } from './stage.ts';

/** One argument, or one member of an object of options. */
export interface Slot {
  readonly name: string;
  /** What it may be: only of that kind may it be taken. */
  readonly takes: 'text' | 'bytes' | 'anything' | 'whole' | 'flag' | 'texts' | 'options';
  readonly call: (engine: Engine, value: never) => unknown;
}

type Options = Readonly<Record<string, unknown>>;

/** A run that has ended, and one that waits; made once for each stage. */
export interface Actors {
  readonly ended: string;
  readonly waiting: string;
}

export async function makeActors({ engine }: Stage): Promise<Actors> {
  const failed = await engine.start('fail', {}, { trace: true });
  await failed.result();
  const waiting = await engine.start('ask', {});
  return { ended: failed.id, waiting: waiting.id };
}

export function slotsOf({ ended, waiting }: Actors): readonly Slot[] {
  const start = (options: Options) => (engine: Engine, value: never) => engine.start('take', {}, fill(options, value));
  const reading = (of: string) => (engine: Engine, value: never) => engine.run(of).events(value).next();
  return [
    { name: 'workflow', takes: 'text', call: (engine, value) => engine.start(value, {}) },
    { name: 'start options', takes: 'options', call: (engine, value) => engine.start('take', {}, value) },
    { name: 'version', takes: 'whole', call: start({ version: hole }) },
    { name: 'idempotencyKey', takes: 'text', call: start({ idempotencyKey: hole }) },
    { name: 'organization', takes: 'text', call: start({ organization: hole }) },
    { name: 'trace', takes: 'flag', call: start({ trace: hole }) },
    { name: 'tags', takes: 'texts', call: start({ tags: hole }) },
    { name: 'tag', takes: 'text', call: start({ tags: { a: hole } }) },
    { name: 'event', takes: 'text', call: (engine, value) => engine.publish(value, {}) },
    { name: 'publish options', takes: 'options', call: (engine, value) => engine.publish('e', {}, value) },
    { name: 'id', takes: 'text', call: (engine, value) => engine.publish('e', {}, { id: value }) },
    { name: 'correlation', takes: 'text', call: (engine, value) => engine.publish('e', {}, { correlation: value }) },
    { name: 'ttlMs', takes: 'whole', call: (engine, value) => engine.publish('e', {}, { ttlMs: value }) },
    { name: 'runs', takes: 'options', call: (engine, value) => engine.runs(value) },
    { name: 'limit', takes: 'whole', call: (engine, value) => engine.runs({ limit: value }) },
    { name: 'after', takes: 'text', call: (engine, value) => engine.runs({ after: value }) },
    { name: 'workflow', takes: 'text', call: (engine, value) => engine.runs({ workflow: value }) },
    { name: 'status', takes: 'text', call: (engine, value) => engine.runs({ status: value }) },
    { name: 'parentRunId', takes: 'text', call: (engine, value) => engine.runs({ parentRunId: value }) },
    { name: 'tags', takes: 'texts', call: (engine, value) => engine.runs({ tags: value }) },
    { name: 'prompts', takes: 'options', call: (engine, value) => engine.prompts(value) },
    { name: 'runId', takes: 'text', call: (engine, value) => engine.prompts({ runId: value }) },
    { name: 'after', takes: 'text', call: (engine, value) => engine.prompts({ after: value }) },
    { name: 'limit', takes: 'whole', call: (engine, value) => engine.prompts({ limit: value }) },
    { name: 'secret', takes: 'text', call: (engine, value) => engine.reply(value, {}) },
    { name: 'correlation id', takes: 'text', call: (engine, value) => engine.promptSecret(value) },
    { name: 'correlation id', takes: 'text', call: (engine, value) => engine.run(waiting).reply(value, {}) },
    { name: 'run id', takes: 'text', call: (engine, value) => engine.run(value).status() },
    { name: 'run id', takes: 'text', call: (engine, value) => engine.run(value).cancel() },
    { name: 'run id', takes: 'text', call: (engine, value) => engine.run(value).state() },
    { name: 'run id', takes: 'text', call: (engine, value) => engine.run(value).result() },
    { name: 'events', takes: 'options', call: reading(ended) },
    { name: 'after', takes: 'text', call: (engine, value) => reading(ended)(engine, { after: value } as never) },
    { name: 'trace', takes: 'options', call: (engine, value) => engine.run(ended).trace(value).next() },
    { name: 'retry', takes: 'options', call: (engine, value) => engine.run(ended).retry(value) },
    { name: 'keepKeys', takes: 'flag', call: (engine, value) => engine.run(ended).retry({ keepKeys: value }) },
    { name: 'reason', takes: 'text', call: cancelWith },
    { name: 'trigger id', takes: 'text', call: (engine, value) => engine.triggers.get(value) },
    { name: 'trigger id', takes: 'text', call: (engine, value) => engine.triggers.fire(value) },
    { name: 'trigger id', takes: 'text', call: (engine, value) => engine.triggers.enable(value) },
    { name: 'trigger id', takes: 'text', call: (engine, value) => engine.triggers.remove(value) },
    { name: 'fire options', takes: 'options', call: (engine, value) => engine.triggers.fire('by-hand', {}, value) },
    { name: 'create options', takes: 'options', call: (engine, value) => engine.triggers.create({}, value) },
    { name: 'organization', takes: 'text', call: (engine, value) => engine.credits.balance(value) },
    { name: 'amount', takes: 'whole', call: (engine, value) => engine.credits.deposit('o', value) },
    { name: 'deposit options', takes: 'options', call: (engine, value) => engine.credits.deposit('o', 1, value) },
    { name: 'key', takes: 'text', call: (engine, value) => engine.credits.deposit('o', 1, { key: value }) },
    { name: 'reservations', takes: 'options', call: (engine, value) => engine.credits.reservations('o', value) },
    { name: 'limit', takes: 'whole', call: (engine, value) => engine.credits.reservations('o', { limit: value }) },
    { name: 'after', takes: 'text', call: (engine, value) => engine.credits.reservations('o', { after: value }) },
    { name: 'data', takes: 'bytes', call: (engine, value) => engine.artifacts.put(value, 'text/plain') },
    { name: 'mimeType', takes: 'text', call: (engine, value) => engine.artifacts.put('x', value) },
    { name: 'reference', takes: 'options', call: (engine, value) => engine.artifacts.get(value) },
    { name: 'run id', takes: 'text', call: (engine, value) => engine.artifacts.list(value) },
    {
      name: 'token id',
      takes: 'whole',
      call: (engine, value) => engine.introspection.simulateRouting(waiting, value, { output: {} }),
    },
    {
      name: 'outcome',
      takes: 'options',
      call: (engine, value) => engine.introspection.simulateRouting(waiting, 1, value),
    },
    { name: 'grace', takes: 'anything', call: (_, value) => opening({}, value) },
    ...['limits', 'actions', 'executors', 'nodeTypes', 'loadAction', 'readOnly', 'onError'].map((name): Slot => {
      return { name, takes: 'anything', call: (_, value) => opening({ [name]: value }) };
    }),
    { name: 'engine options', takes: 'options', call: (_, value) => opening(value) },
    { name: 'limit', takes: 'whole', call: (_, value) => opening({ limits: { mailboxMax: value } }) },
    { name: 'action', takes: 'anything', call: (_, value) => opening({ actions: { a: value } }) },
    { name: 'run of an action', takes: 'anything', call: (_, value) => opening({ actions: { a: { run: value } } }) },
    { name: 'schema', takes: 'anything', call: (_, value) => opening({ actions: { a: { run: give, input: value } } }) },
    { name: 'retry', takes: 'anything', call: (_, value) => opening({ actions: { a: { run: give, retry: value } } }) },
    { name: 'executor', takes: 'anything', call: (_, value) => opening({ executors: { A: value } }) },
    { name: 'node type', takes: 'anything', call: (_, value) => opening({ nodeTypes: { a: value } }) },
    { name: 'node type source', takes: 'anything', call: (_, value) => defineNodeType(value) },
    { name: 'ports', takes: 'anything', call: (_, value) => defineNodeType({ run: give, inputs: value }) },
    { name: 'event', takes: 'anything', call: (engine, value) => startFromEvent(engine, value) },
    {
      name: 'event data',
      takes: 'anything',
      call: (engine, value) => startFromEvent(engine, { id: 'e', data: value }),
    },
    { name: 'converted', takes: 'anything', call: (_, value) => convertToToken(value) },
    {
      name: 'time',
      takes: 'whole',
      call: (engine, value) => engine.introspection.simulateSynchronization(waiting, value),
    },
  ];
}

const give = (): object => ({});

/** An engine of its own, closed again. */
async function opening(options: object, graceMs: unknown = 0): Promise<void> {
  const made = await openEngine(memoryStore(), options);
  await made.close({ graceMs: graceMs as number });
}

/** A run is cancelled, whatever reason is given: it may be refused, but no run may be set aside for it. */
async function cancelWith(engine: Engine, value: never): Promise<void> {
  const run = await engine.start('ask', {});
  let thrown: unknown = null;
  try {
    await run.cancel(value);
  } catch (error) {
    thrown = error;
  }
  const { quarantine, status } = await run.summary();
  if (quarantine !== null) throw new Error(`Expected the run not to suffer, but it was set aside: ${quarantine}`);
  if (thrown !== null) throw thrown as Error;
  if (status !== 'cancelled') throw new Error(`Expected the run to be cancelled, but it is ${status}`);
}

const hole = Symbol('hole');

/** The options with the value in place of the hole. */
function fill(options: Options, value: unknown): Options {
  return Object.fromEntries(
    Object.entries(options).map(([key, member]) => [
      key,
      member === hole ? value : typeof member === 'object' && member !== null ? fill(member as Options, value) : member,
    ]),
  );
}
