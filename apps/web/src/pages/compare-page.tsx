// ComparePage: what two runs did otherwise, by a link that can be passed on.

import { CompareView, useRunReading, useRunSource } from 'heddle-react';
import type { ReactElement } from 'react';
import { Link, useParams } from 'wouter';
import './compare-page.css';

export function ComparePage(): ReactElement {
  const { runId = '', otherId = '' } = useParams();
  const first = useRunReading(useRunSource(runId));
  const second = useRunReading(useRunSource(otherId));
  return (
    <div className="compare-page">
      <div className="compare-page-head">
        <h1>Compare two runs</h1>
        <Link href={`/runs/${otherId}/compare/${runId}`}>Swap A and B</Link>
      </div>
      <CompareView
        first={first}
        second={second}
        link={(id, label, node) => (
          <Link key={id} href={node === undefined ? `/runs/${id}` : `/runs/${id}?node=${encodeURIComponent(node)}`}>
            {label}
          </Link>
        )}
      />
    </div>
  );
}
