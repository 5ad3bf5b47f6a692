// RunsPage: which runs? Filters stand in the address; rows are live.

import { Button, EmptyState, RunList, useMay } from 'heddle-react';
import { type ReactElement, useMemo, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { addressOf } from '../addresses.ts';
import { Page } from '../page.tsx';
import { BulkDialog, type BulkKind } from '../runs/bulk-dialog.tsx';
import { RunFilters } from '../runs/run-filters.tsx';
import { everyRun, isFiltered, type RunSearch, readSearch, toFilter, writeSearch } from '../runs/run-search.ts';
import { StartDialog } from '../runs/start-dialog.tsx';
import './runs.css';

export function RunsPage(): ReactElement {
  const address = useSearch();
  const [, navigate] = useLocation();
  const search = useMemo(() => readSearch(address), [address]);
  // The time that a filter counts back from is when it was set: rows do not leave while somebody reads.
  const filter = useMemo(() => toFilter({ ...readSearch(address), after: null }, Date.now()), [address]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<'start' | BulkKind | null>(null);
  const may = useMay();
  const change = (next: RunSearch): void => {
    setSelected(new Set());
    navigate(`/runs${writeSearch(next) === '' ? '' : `?${writeSearch(next)}`}`);
  };
  const close = (): void => setDialog(null);
  return (
    <Page
      title="Runs"
      actions={
        may('run:start') ? (
          <Button kind="primary" onClick={() => setDialog('start')}>
            Start a run
          </Button>
        ) : null
      }
    >
      <RunFilters search={search} onChange={change} />
      <BulkBar selected={selected} onBulk={setDialog} onNone={() => setSelected(new Set())} />
      <RunList
        filter={filter}
        {...(search.after === null ? {} : { after: search.after })}
        link={(runId, text) => (
          <Link href={addressOf.run(runId)} className="hd-link">
            {text}
          </Link>
        )}
        {...(may('run:control') || may('run:retry') ? { selection: { selected, onChange: setSelected } } : {})}
        onPage={(after) => change({ ...search, after })}
        empty={<NoRuns search={search} onClear={() => change(everyRun)} />}
      />
      {dialog === 'start' ? <StartDialog onClose={close} /> : null}
      {dialog === 'cancel' || dialog === 'retry' ? (
        <BulkDialog
          kind={dialog}
          runIds={[...selected]}
          onClose={() => {
            close();
            setSelected(new Set());
          }}
        />
      ) : null}
    </Page>
  );
}

interface BulkBarProps {
  readonly selected: ReadonlySet<string>;
  readonly onBulk: (kind: BulkKind) => void;
  readonly onNone: () => void;
}

function BulkBar({ selected, onBulk, onNone }: BulkBarProps): ReactElement | null {
  const may = useMay();
  if (selected.size === 0) return null;
  return (
    <div className="app-bulk-bar" role="group" aria-label="Selected runs">
      <span>{selected.size} selected</span>
      {may('run:control') ? <Button onClick={() => onBulk('cancel')}>Cancel…</Button> : null}
      {may('run:retry') ? <Button onClick={() => onBulk('retry')}>Retry…</Button> : null}
      <Button kind="quiet" onClick={onNone}>
        Select none
      </Button>
    </div>
  );
}

function NoRuns({ search, onClear }: { readonly search: RunSearch; readonly onClear: () => void }): ReactElement {
  return isFiltered(search) ? (
    <EmptyState title="No run fits these filters">
      <Button onClick={onClear}>Show every run</Button>
    </EmptyState>
  ) : (
    <EmptyState title="No runs yet">
      <span>
        Start one here, by <code>heddle start</code>, or with the client.
      </span>
    </EmptyState>
  );
}
