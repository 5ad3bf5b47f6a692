// Listed workflows: versions, drafts and figures, one row for each workflow. Pure.

import type { ListedDefinition } from 'heddle';
import type { AnswerOf } from 'heddle/wire';
import { namesOf } from '../workflow-names.ts';

type Draft = AnswerOf<'listDrafts'>['items'][number];
type Figures = AnswerOf<'getOverview'>['workflows'][number];

export interface ListedWorkflow {
  readonly id: string;
  /** The newest; null: there is a draft alone. */
  readonly version: number | null;
  readonly createdAt: number | null;
  /** What its author says of it. */
  readonly description?: string | undefined;
  readonly draft?: Draft | undefined;
  readonly figures?: Figures | undefined;
}

export function listedWorkflows(
  definitions: readonly ListedDefinition[],
  drafts: readonly Draft[],
  figures: readonly Figures[],
): readonly ListedWorkflow[] {
  const named = namesOf(definitions);
  const known = new Set(named.map(({ id }) => id));
  const onlyDrafts = drafts
    .filter(({ workflow }) => !known.has(workflow))
    .map(({ workflow }) => ({ id: workflow, version: null, createdAt: null, description: undefined }));
  return [...onlyDrafts, ...named].map(({ id, version, createdAt, description }) => ({
    id,
    version,
    createdAt,
    description,
    draft: drafts.find(({ workflow }) => workflow === id),
    figures: figures.find(({ workflow }) => workflow === id),
  }));
}
