// Compare table: the visits of two runs beside each other; those in which they differ, or all.

import { type ReactElement, useMemo, useState } from 'react';
import { StatusMark } from '../../parts/status-mark.tsx';
import { DurationText } from '../../parts/time-text.tsx';
import type { ComparedVisit, VisitFacts } from './compare-runs.ts';
import { LongTable } from './long-table.tsx';
import { branchText } from './timeline-row.tsx';
import { lookOfSpan } from './timeline-span.ts';

export interface CompareTableProps {
  readonly visits: readonly ComparedVisit[];
  /** The key of the one that is shown whole. */
  readonly chosen: string | null;
  readonly onChoose: (key: string) => void;
}

const titles = ['Node', 'Branch', 'Run A', 'Run B', 'Differs in'];

export function CompareTable({ visits, chosen, onChoose }: CompareTableProps): ReactElement {
  const [isAll, setAll] = useState(false);
  const differing = useMemo(() => visits.filter(({ aspects }) => aspects.length > 0), [visits]);
  const shown = isAll ? visits : differing;
  return (
    <section className="hd-compare-visits" aria-label="Visits">
      <div className="hd-compare-bar">
        <h2>
          {differing.length.toLocaleString('en')} of {visits.length.toLocaleString('en')} visits differ
        </h2>
        <label>
          <input type="checkbox" checked={isAll} onChange={() => setAll(!isAll)} /> Show those that are the same
        </label>
      </div>
      {shown.length === 0 ? null : (
        <LongTable
          label="Visits of both runs"
          className="hd-compare-table"
          titles={titles}
          rows={shown}
          keyOf={({ key }) => key}
          isSelected={({ key }) => key === chosen}
        >
          {(visit) => <VisitCells visit={visit} onChoose={onChoose} />}
        </LongTable>
      )}
    </section>
  );
}

interface VisitCellsProps {
  readonly visit: ComparedVisit;
  readonly onChoose: (key: string) => void;
}

function VisitCells({ visit, onChoose }: VisitCellsProps): ReactElement {
  const { key, node, pathId, visit: count, first, second, aspects } = visit;
  return (
    <>
      <td>
        <button type="button" className="hd-plain-link" onClick={() => onChoose(key)}>
          {node}
          {count > 1 ? ` (visit ${count})` : ''}
        </button>
      </td>
      <td>{pathId === 'root' ? '–' : branchText(pathId)}</td>
      <td>
        <Facts facts={first} />
      </td>
      <td>
        <Facts facts={second} />
      </td>
      <td>{first && second ? aspects.join(', ') || '–' : `only in ${first ? 'A' : 'B'}`}</td>
    </>
  );
}

function Facts({ facts }: { readonly facts: VisitFacts | null }): ReactElement {
  if (facts === null) return <span className="hd-json-note">was not here</span>;
  return (
    <>
      <StatusMark look={lookOfSpan(facts)} word={facts.status.replaceAll('_', ' ')} />{' '}
      <span className="hd-json-note">
        <DurationText ms={facts.workedMs} />
        {facts.next === '' ? '' : `, then ${facts.next}`}
      </span>
    </>
  );
}
