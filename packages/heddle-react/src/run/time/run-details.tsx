// Run details: what stands beside the drawing of a run, for those who want to know more: its journal, its state, and what it
// waits for.

import { isTerminal } from 'heddle/journal';
import type { ReactElement } from 'react';
import { type Tab, Tabs } from '../../parts/tabs.tsx';
import type { RunReading, RunSource } from '../run-source.ts';
import { JournalTable } from './journal-table.tsx';
import { StateView } from './state-view.tsx';
import { branchText } from './timeline-row.tsx';
import { WhyTransition } from './why-transition.tsx';
import { WhyWaiting } from './why-waiting.tsx';

export type RunDetail = 'journal' | 'state' | 'waits';

export interface RunDetailsProps {
  readonly source: RunSource;
  readonly reading: RunReading;
  readonly shown: RunDetail;
  readonly onShow: (detail: RunDetail) => void;
  readonly onSelectNode: (node: string) => void;
}

const journalAndState: readonly Tab<RunDetail>[] = [
  { name: 'journal', label: 'Journal' },
  { name: 'state', label: 'State' },
];
const waits: Tab<RunDetail> = { name: 'waits', label: 'Why is it waiting?' };

export function RunDetails({ source, reading, shown, onShow, onSelectNode }: RunDetailsProps): ReactElement {
  const { runId, run, length } = reading;
  // A journal alone has nobody to ask, and a run that has ended waits for nothing.
  const mayWait = source.client !== null && run !== null && !isTerminal(run.status);
  const selected = shown === 'waits' && !mayWait ? 'journal' : shown;
  return (
    <div className="hd-run-details">
      <Tabs
        label="Details of the run"
        tabs={mayWait ? [...journalAndState, waits] : journalAndState}
        selected={selected}
        onSelect={onShow}
      >
        {selected === 'state' ? <StateView reading={reading} onSelectNode={onSelectNode} /> : null}
        {selected === 'waits' ? (
          <WhyWaiting runId={runId} moment={length} onSelectNode={onSelectNode} branchOf={branchOf(reading)} />
        ) : null}
        {selected === 'journal' ? (
          <JournalTable
            source={source}
            reading={reading}
            onSelectNode={onSelectNode}
            details={({ id }) => (source.client === null ? null : <WhyTransition runId={runId} eventId={id} />)}
          />
        ) : null}
      </Tabs>
    </div>
  );
}

/** Of a run that is too long to be kept, nothing is known of its tokens here. */
function branchOf({ fold }: RunReading): (token: number) => string | null {
  const paths = new Map(Array.from(fold?.spans() ?? [], ({ token, pathId }) => [token, pathId]));
  return (token) => {
    const path = paths.get(token) ?? 'root';
    return path === 'root' ? null : branchText(path);
  };
}

/** From an address: what is no detail is the journal. */
export const readDetail = (text: string | null): RunDetail => (text === 'state' || text === 'waits' ? text : 'journal');
