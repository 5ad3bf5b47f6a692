// Kinds: what hostile inputs there are, and how many of each among ten thousand. Those that open an engine of their own cost
// milliseconds; most cost a tenth of one.

import { makeOptionTrial } from './api/option-trial.ts';
import { makeSnapshotTrial } from './api/snapshot-trial.ts';
import { makeDefinitionTrial } from './definitions/definition-trial.ts';
import { makeFloodTrial } from './definitions/flood-trial.ts';
import { makeLimitTrial } from './definitions/limit-trial.ts';
import { makeExpressionTrial } from './expressions/expression-trial.ts';
import { makeNameTrial } from './names/name-trial.ts';
import { makeFileTrial } from './rows/file-trial.ts';
import { makeRowTrial } from './rows/row-trial.ts';
import { makeTextTrial } from './texts/text-trial.ts';
import type { MakeTrial } from './trial.ts';
import { makeFickleTrial } from './values/fickle-trial.ts';
import { makeSchemaTrial } from './values/schema-trial.ts';
import { makeThrowTrial } from './values/throw-trial.ts';
import { makeValueTrial } from './values/value-trial.ts';

export interface Kind {
  readonly name: string;
  /** In the table of counts. */
  readonly title: string;
  readonly share: number;
  readonly make: MakeTrial;
}

export const kinds: readonly Kind[] = [
  { name: 'definition', title: 'damaged definitions', share: 4_800, make: makeDefinitionTrial },
  { name: 'expression', title: 'expressions, conditions, patterns', share: 2_700, make: makeExpressionTrial },
  { name: 'text', title: 'JSON texts', share: 700, make: makeTextTrial },
  { name: 'schema', title: 'JSON Schemas', share: 600, make: makeSchemaTrial },
  { name: 'value', title: 'inputs, answers, payloads, results', share: 550, make: makeValueTrial },
  { name: 'limit', title: 'definitions above a limit', share: 200, make: makeLimitTrial },
  { name: 'option', title: 'options and ids', share: 200, make: makeOptionTrial },
  { name: 'fickle', title: 'members that change when read again', share: 30, make: makeFickleTrial },
  { name: 'throw', title: 'thrown values', share: 170, make: makeThrowTrial },
  { name: 'snapshot', title: 'snapshots of runs', share: 35, make: makeSnapshotTrial },
  { name: 'name', title: 'names of JavaScript', share: 22, make: makeNameTrial },
  { name: 'row', title: 'stored rows', share: 18, make: makeRowTrial },
  { name: 'flood', title: 'definitions wrong in thousands of places', share: 3, make: makeFloodTrial },
  { name: 'file', title: 'rows in files', share: 5, make: makeFileTrial },
];

const total = kinds.reduce((sum, { share }) => sum + share, 0);

/** By one number below `total`. */
export function kindAt(draw: (below: number) => number): Kind {
  let left = draw(total);
  return kinds.find(({ share }) => (left -= share) < 0) ?? (kinds[0] as Kind);
}
