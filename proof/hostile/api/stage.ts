// Stage: an engine on virtual time with a few workflows, on which hostile values and options are tried, one after the other.
//
// Always true: a trial leaves nothing behind that the next one could see; after some hundreds of them the stage is set anew.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import { defineNodeType } from '../../../packages/heddle/src/dialects/dataflow/nodes/node-type.ts';
import type { WorkflowDefinition } from '../../../packages/heddle/src/dialects/dialect.ts';
import type { Action } from '../../../packages/heddle/src/executor/action.ts';
import { createTestEngine, type TestEngine } from '../../../packages/heddle/src/testing/test-engine.ts';

export interface Parcel {
  readonly value: unknown;
  readonly isThrown: boolean;
}

export interface Stage extends TestEngine {
  /** What the action `give` returns or throws next. */
  readonly parcels: Parcel[];
  /** What the engine told of that was no run's own doing. */
  readonly errors: Error[];
}

/** What an order looks like: as the input of a run, the answer of a person, the result of an action. */
const orderSchema: Json = {
  type: 'object',
  required: ['id', 'lines'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^[a-z]+-[0-9]+$' },
    total: { type: 'number', minimum: 0, maximum: 1_000 },
    state: { enum: ['new', 'paid'] },
    constructor: { type: 'boolean' },
    lines: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: {
        type: 'object',
        required: ['a/b'],
        properties: { 'a/b': { type: 'integer' }, 'n~m': { type: ['string', 'null'], maxLength: 5 } },
      },
    },
  },
};

const definitions: readonly WorkflowDefinition[] = [
  { id: 'take', initialNode: 'rest', nodes: [{ id: 'rest', wait: { event: 'never' } }] },
  {
    id: 'give',
    initialNode: 'give',
    nodes: [{ id: 'give', action: 'give', outputMapping: { 'output.given': 'result' } }],
  },
  { id: 'give-order', initialNode: 'give', nodes: [{ id: 'give', action: 'giveOrder' }] },
  { id: 'order', initialNode: 'rest', inputSchema: orderSchema as never, nodes: [{ id: 'rest' }] }, // a JSON Schema
  { id: 'ask', initialNode: 'ask', nodes: [{ id: 'ask', input: true }] },
  { id: 'ask-order', initialNode: 'ask', nodes: [{ id: 'ask', input: { schema: orderSchema as never } }] },
  { dialect: 'dataflow', id: 'give-dataflow', nodes: [{ id: 'give', type: 'giveNode' }] },
  { dialect: 'handle', id: 'give-handle', nodes: [{ id: 'give', type: 'GIVE' }] },
  { id: 'fail', initialNode: 'fail', nodes: [{ id: 'fail', action: 'core.fail' }] },
];

export const payloadBytesMax = 20_000;
export const depthMax = 40;

async function setStage(): Promise<Stage> {
  const parcels: Parcel[] = [];
  const errors: Error[] = [];
  const give = (): unknown => {
    const parcel = parcels.shift();
    if (parcel?.isThrown) throw parcel.value as Error;
    return parcel?.value;
  };
  const actions: Readonly<Record<string, Action>> = { give, giveOrder: { run: give, output: orderSchema as never } };
  const limits = { payloadBytesMax, jsonDepthMax: depthMax };
  const engine = await createTestEngine({
    actions,
    limits,
    nodeTypes: { giveNode: defineNodeType({ run: give as never }) }, // whatever it gives
    executors: { GIVE: give as never },
    onError: (error) => errors.push(error),
  });
  for (const definition of definitions) await engine.engine.register(definition);
  await engine.engine.triggers.create({ id: 'by-hand', type: 'manual', workflow: 'take' });
  return { ...engine, parcels, errors };
}

const trialsPerStage = 500;
let current: Promise<Stage> | null = null;
let trials = 0;

export async function takeStage(): Promise<Stage> {
  if (current !== null && ++trials % trialsPerStage === 0) {
    const { engine } = await current;
    current = null;
    await engine.close({ graceMs: 0 });
  }
  current ??= setStage();
  return current;
}
