// CapsuleView: a run that was taken along: graph, timeline, slider, journal and state, with no server to ask.

import type { Capsule } from 'heddle/capsule';
import { type ReactElement, useMemo, useState } from 'react';
import { IdText } from '../parts/id-text.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { ErrorNotice, Notice, Skeleton } from '../parts/notice.tsx';
import { RunStatusMark } from '../parts/status-mark.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { exactText } from '../parts/time-text.tsx';
import { drawGraph } from '../run/drawing.ts';
import { journalSource } from '../run/journal-source.ts';
import type { RunReading } from '../run/run-source.ts';
import { JournalTable } from '../run/time/journal-table.tsx';
import { MomentSlider } from '../run/time/moment-slider.tsx';
import { RunTimeline } from '../run/time/run-timeline.tsx';
import { StateView } from '../run/time/state-view.tsx';
import type { TimelineSelection } from '../run/time/timeline.tsx';
import { useRunReading } from '../run/use-run-source.ts';
import { PlainGraph } from './plain-graph.tsx';

const tabs = [
  { name: 'journal', label: 'Journal' },
  { name: 'state', label: 'State' },
  { name: 'definition', label: 'Definition' },
] as const;

export function CapsuleView({ capsule }: { readonly capsule: Capsule }): ReactElement {
  const source = useMemo(() => journalSource(capsule), [capsule]);
  const reading = useRunReading(source);
  const graph = useMemo(() => drawGraph(capsule.drawing, capsule.definition), [capsule]);
  const [selected, setSelected] = useState<TimelineSelection | null>(null);
  const [tab, setTab] = useState<(typeof tabs)[number]['name']>('journal');
  const selectNode = (node: string): void => setSelected({ node, token: null });
  if (reading.error !== null) return <ErrorNotice error={reading.error} />;
  if (reading.figures === null) return <Skeleton lines={8} label="Reading the journal" />;
  return (
    <main className="hd-capsule">
      <Header capsule={capsule} reading={reading} />
      <PlainGraph
        graph={graph}
        drawing={capsule.drawing}
        figures={reading.figures}
        selected={selected?.node ?? null}
        onSelect={selectNode}
      />
      <RunTimeline reading={reading} selected={selected} onSelect={setSelected} />
      <MomentSlider source={source} reading={reading} onFailure={selectNode} />
      <Tabs label="Details of the run" tabs={tabs} selected={tab} onSelect={setTab}>
        {tab === 'journal' ? <JournalTable source={source} reading={reading} onSelectNode={selectNode} /> : null}
        {tab === 'state' ? <StateView reading={reading} onSelectNode={selectNode} /> : null}
        {tab === 'definition' ? <JsonView value={capsule.definition} label="definition" /> : null}
      </Tabs>
    </main>
  );
}

interface HeaderProps {
  readonly capsule: Capsule;
  readonly reading: RunReading;
}

function Header({ capsule, reading }: HeaderProps): ReactElement {
  const { runId, exportedAt, redacted } = capsule;
  const [first] = capsule.events;
  return (
    <header className="hd-capsule-head">
      <h1>{first?.type === 'workflow.started' ? `${first.workflow}, version ${first.version}` : 'A run'}</h1>
      {reading.figures === null ? null : <RunStatusMark status={reading.figures.status} />}
      <IdText id={runId} />
      <span className="hd-json-note">exported {exactText(exportedAt)}</span>
      {redacted.length === 0 ? null : (
        <Notice look="waiting" title="Some values were redacted">
          {redacted.join(', ')}
        </Notice>
      )}
    </header>
  );
}
