// NodeWaits: what a node waits for now, in the sentences of the server.

import { type ReactElement, useEffect } from 'react';
import { useAnswer } from '../connection/connection.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { Part } from './execution-view.tsx';

export interface NodeWaitsProps {
  readonly runId: string;
  readonly node: string;
  /** Changes whenever something happened: then it is asked again. */
  readonly moment: number;
}

const waitsShown = 5;

export function NodeWaits({ runId, node, moment }: NodeWaitsProps): ReactElement | null {
  const { data, refetch } = useAnswer('listWaits', { runId });
  useEffect(() => {
    void refetch();
  }, [moment, refetch]);
  const waits = data?.items.filter((wait) => wait.node === node) ?? [];
  if (waits.length === 0) return null;
  return (
    <Part title="Why it waits">
      <ul className="hd-attempts">
        {waits.slice(0, waitsShown).map(({ id, text, since }) => (
          <li key={id}>
            {text} {since === null ? null : <TimeText at={since} />}
          </li>
        ))}
      </ul>
      {waits.length > waitsShown ? (
        <span className="hd-muted">And {(waits.length - waitsShown).toLocaleString('en')} more.</span>
      ) : null}
    </Part>
  );
}
