// Compare view: two runs side by side, aligned by path: their first difference first, then both graphs, then what they were given
// and gave, then every visit in which they differ.

import { isTerminal } from 'heddle/journal';
import { type ReactElement, type ReactNode, useMemo, useState } from 'react';
import { IdText } from '../../parts/id-text.tsx';
import { EmptyState, ErrorNotice, Notice, Skeleton } from '../../parts/notice.tsx';
import { RunStatusMark } from '../../parts/status-mark.tsx';
import { DurationText } from '../../parts/time-text.tsx';
import type { RunReading } from '../run-source.ts';
import { Changes } from './changes.tsx';
import { CompareGraphs } from './compare-graphs.tsx';
import { type Aspect, type ComparedRun, type ComparedVisit, compareRuns } from './compare-runs.ts';
import { CompareTable } from './compare-table.tsx';
import { branchText } from './timeline-row.tsx';

export interface CompareViewProps {
  readonly first: RunReading;
  readonly second: RunReading;
  /** A link to a run, maybe at a node of it. */
  readonly link: (runId: string, label: string, node?: string) => ReactNode;
  /** Reads them again after an error. */
  readonly onRetry?: () => void;
}

export function CompareView({ first, second, link, onRetry }: CompareViewProps): ReactElement {
  for (const { error } of [first, second]) if (error !== null) return <ErrorNotice error={error} onRetry={onRetry} />;
  if (first.phase === 'loading' || second.phase === 'loading')
    return <Skeleton lines={8} label="Loading the two runs" />;
  if (first.isLarge || second.isLarge)
    return (
      <Notice look="waiting" title="Expected two runs of up to 20,000 events, but one of them is longer">
        Open the runs one by one: their timelines and journals are there.
      </Notice>
    );
  return <Comparing first={first} second={second} link={link} />;
}

function Comparing({ first, second, link }: CompareViewProps): ReactElement {
  const { visits, firstDifference } = useMemo(
    () => compareRuns(comparedOf(first), comparedOf(second)),
    [first, second],
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = visits.find(({ key }) => key === chosen) ?? firstDifference;
  return (
    <div className="hd-compare">
      <div className="hd-compare-heads">
        <RunHead name="A" reading={first} link={link} />
        <RunHead name="B" reading={second} link={link} />
      </div>
      {shown === null ? (
        <EmptyState title="The two runs did the same">Every visit had the same input, output and route.</EmptyState>
      ) : (
        <VisitDetails
          visit={shown}
          title={shown === firstDifference ? 'First difference' : 'Difference'}
          links={[link(first.runId, 'Open in A', shown.node), link(second.runId, 'Open in B', shown.node)]}
        />
      )}
      <CompareGraphs
        {...{ first, second, visits }}
        selected={shown?.node ?? null}
        onSelect={(node) => setChosen(visitAt(visits, node)?.key ?? null)}
      />
      <div className="hd-compare-values">
        <section aria-label="Input of the runs">
          <h2>Input, from A to B</h2>
          <Changes before={first.fold?.input} after={second.fold?.input} />
        </section>
        <section aria-label="Output of the runs">
          <h2>Output, from A to B</h2>
          <Changes
            before={first.fold?.result ?? first.fold?.output}
            after={second.fold?.result ?? second.fold?.output}
          />
        </section>
      </div>
      <CompareTable visits={visits} chosen={shown?.key ?? null} onChoose={setChosen} />
    </div>
  );
}

/** Of a node: its first visit that differs, or its first. */
function visitAt(visits: readonly ComparedVisit[], node: string | null): ComparedVisit | undefined {
  const here = visits.filter((visit) => visit.node === node);
  return here.find(({ aspects }) => aspects.length > 0) ?? here[0];
}

function comparedOf({ fold, events, figures }: RunReading): ComparedRun {
  return { spans: [...(fold?.spans() ?? [])], events, now: figures?.at ?? 0 };
}

interface RunHeadProps {
  readonly name: string;
  readonly reading: RunReading;
  readonly link: CompareViewProps['link'];
}

function RunHead({ name, reading, link }: RunHeadProps): ReactElement {
  const { runId, run, figures, events } = reading;
  const startedAt = events[0]?.at ?? run?.createdAt ?? 0;
  return (
    <section className="hd-compare-head" aria-label={`Run ${name}`}>
      <h2>
        {name}: {run === null ? '' : `${run.workflow}, version ${run.version}`}
      </h2>
      <p>
        {link(runId, 'Open the run')} <IdText id={runId} />
      </p>
      <p>
        {figures === null ? null : <RunStatusMark status={figures.status} />}{' '}
        {figures === null ? null : (
          <span className="hd-json-note">
            {isTerminal(figures.status) ? 'after' : 'for'} <DurationText ms={figures.at - startedAt} />,{' '}
            {events.length.toLocaleString('en')} events
          </span>
        )}
      </p>
    </section>
  );
}

interface VisitDetailsProps {
  readonly visit: ComparedVisit;
  readonly title: string;
  readonly links: readonly ReactNode[];
}

function VisitDetails({ visit, title, links }: VisitDetailsProps): ReactElement {
  const { node, pathId, visit: count, first, second, aspects } = visit;
  const where = pathId === 'root' ? '' : ` in ${branchText(pathId)}`;
  return (
    <section className="hd-compare-first" aria-label={title}>
      <h2>
        {title}: {node}
        {where}
        {count > 1 ? `, visit ${count}` : ''}
      </h2>
      <ul>
        {sentencesOf(visit).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {first && second && aspects.includes('input') ? (
        <Named name="Its input, from A to B">
          <Changes before={first.input} after={second.input} />
        </Named>
      ) : null}
      {first && second && aspects.includes('output') ? (
        <Named name="Its output, from A to B">
          <Changes before={first.output} after={second.output} />
        </Named>
      ) : null}
      <p className="hd-compare-links">{links}</p>
    </section>
  );
}

const Named = ({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement => (
  <section aria-label={name}>
    <h3>{name}</h3>
    {children}
  </section>
);

function sentencesOf({ node, first, second, aspects }: ComparedVisit): readonly string[] {
  if (!first || !second) return [`Only ${first ? 'A' : 'B'} came to ${node}.`];
  const told: Readonly<Record<Aspect, string>> = {
    input: 'It was given something else.',
    output: 'It returned something else.',
    status: `In A it ${wordOf(first.status)}${first.error ? ` (${first.error})` : ''}, in B it ${wordOf(second.status)}${second.error ? ` (${second.error})` : ''}.`,
    attempts: `A took ${first.attempts} ${first.attempts === 1 ? 'attempt' : 'attempts'}, B ${second.attempts}.`,
    route: `A continued with ${first.next || 'nothing'}, B with ${second.next || 'nothing'}.`,
    duration: `It worked ${Math.round(first.workedMs).toLocaleString('en')} ms in A, and ${Math.round(second.workedMs).toLocaleString('en')} ms in B.`,
  };
  return aspects.map((aspect) => told[aspect]);
}

const wordOf = (status: string): string => `is ${status.replaceAll('_', ' ')}`;
