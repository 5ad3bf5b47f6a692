// VersionDifference: what differs between two versions of a workflow.

import type { ReactElement } from 'react';
import { useAnswer } from '../../connection/connection.tsx';
import { ErrorNotice, Skeleton } from '../../parts/notice.tsx';
import { withoutVersion } from '../draft/use-opened.ts';
import { useKnown } from '../use-known.ts';
import { DifferenceView } from './difference-view.tsx';

export interface VersionDifferenceProps {
  readonly workflow: string;
  readonly from: number;
  readonly to: number;
}

export function VersionDifference({ workflow, from, to }: VersionDifferenceProps): ReactElement {
  const known = useKnown();
  const before = useAnswer('getDefinition', { id: workflow, version: from });
  const after = useAnswer('getDefinition', { id: workflow, version: to });
  const error = before.error ?? after.error;
  return (
    <section aria-label={`Version ${from} and version ${to}`}>
      <h1>
        {workflow}: version {from} → {to}
      </h1>
      {error === null ? null : <ErrorNotice error={error} />}
      {before.data === undefined || after.data === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <DifferenceView
          before={withoutVersion(before.data.definition)}
          after={withoutVersion(after.data.definition)}
          known={known}
        />
      )}
    </section>
  );
}
