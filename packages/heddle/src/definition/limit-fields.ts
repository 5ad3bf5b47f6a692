// Limit fields: the limits that a definition may lower for its own runs. The others belong to the engine as a whole.

import type { Limits } from './limits.ts';
import type { Field } from './shape.ts';

const descriptions = {
  nodesPerRunMax: 'Node visits of a run with all its descendants.',
  tokensAliveMax: 'Tokens that live at one time.',
  branchesPerFanOutMax: 'Branches of one fan-out.',
  branchDepthMax: 'Fan-outs inside fan-outs.',
  loopIterationsMax: 'The most that a loop may go round.',
  nestingMax: 'Sub-workflows inside sub-workflows.',
  descendantsMax: 'Sub-runs below one root, at any depth.',
  handleNodesMax: 'Nodes that a run of a handle definition executes.',
  dispatchesMax: 'Hand-outs of one task that were lost before it fails.',
  payloadBytesMax: 'One input, one result, one value, as JSON text.',
  mergedBytesMax: 'What one join merges from all its branches, as JSON text.',
  artifactBytesMax: 'One artifact, in bytes.',
  expressionCostMax: 'Steps of one evaluation of an expression.',
  concurrencyPerRun: 'Actions of one run under way at one time.',
} satisfies Partial<Record<keyof Limits, string>>;

export const limitFields: Readonly<Record<string, Field>> = Object.fromEntries(
  (Object.keys(descriptions) as (keyof typeof descriptions)[]).map((limit): [string, Field] => [
    limit,
    { shape: { type: 'number', integer: true, min: 1, limit }, description: descriptions[limit] },
  ]),
);
