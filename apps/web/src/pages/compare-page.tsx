// ComparePage: what two runs did otherwise, by a link that can be passed on.

import { CompareView, useRunReading, useRunSource } from 'heddle-react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { addressOf, useParam } from '../addresses.ts';
import './compare-page.css';

export function ComparePage(): ReactElement {
  const [runId, otherId] = [useParam('runId') ?? '', useParam('otherId') ?? ''];
  const sources = [useRunSource(runId), useRunSource(otherId)] as const;
  const [first, second] = [useRunReading(sources[0]), useRunReading(sources[1])];
  return (
    <div className="compare-page">
      <div className="compare-page-head">
        <h1>Compare two runs</h1>
        <Link href={addressOf.compare(otherId, runId)}>Swap A and B</Link>
      </div>
      <CompareView
        first={first}
        second={second}
        onRetry={() => sources.forEach(({ resume }) => resume())}
        link={(id, label, node) => (
          <Link
            key={id}
            href={node === undefined ? addressOf.run(id) : `${addressOf.run(id)}?node=${encodeURIComponent(node)}`}
          >
            {label}
          </Link>
        )}
      />
    </div>
  );
}
