// Success: how the runs of a workflow end, as a word and a bar.

import type { AnswerOf } from 'heddle/wire';
import { DurationText } from 'heddle-react';
import type { ReactElement } from 'react';

export type WorkflowFigures = AnswerOf<'getOverview'>['workflows'][number];

export function Success({ figures }: { readonly figures: WorkflowFigures | undefined }): ReactElement {
  const share = figures?.successShare ?? null;
  if (figures === undefined || share === null) return <span className="app-hint">no ends yet</span>;
  const percent = Math.floor(share * 1_000) / 10;
  return (
    <span className="app-success">
      <meter min={0} max={1} low={0.9} high={0.99} optimum={1} value={share} aria-label={`${percent} % succeeded`} />
      {percent} % of {figures.completed + figures.failed}
    </span>
  );
}

export function Took({ ms }: { readonly ms: number | null | undefined }): ReactElement {
  return ms === null || ms === undefined ? <span className="app-hint">–</span> : <DurationText ms={ms} />;
}
