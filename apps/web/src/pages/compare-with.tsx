// CompareWith: chooses the run to compare with, among the newest of the same workflow or by its id.

import {
  Button,
  Dialog,
  EmptyState,
  ErrorNotice,
  IdText,
  RunStatusMark,
  Skeleton,
  TimeText,
  useAnswer,
} from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf } from '../addresses.ts';
import './compare-page.css';

export interface CompareWithProps {
  readonly runId: string;
  readonly workflow: string;
}

export function CompareWith({ runId, workflow }: CompareWithProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Compare…</Button>
      {isOpen ? (
        <Dialog
          title="Compare with which run?"
          onClose={() => setOpen(false)}
          actions={<Button onClick={() => setOpen(false)}>Close</Button>}
        >
          <OtherRuns runId={runId} workflow={workflow} />
          <ById runId={runId} />
        </Dialog>
      ) : null}
    </>
  );
}

const runsShown = 12;

function OtherRuns({ runId, workflow }: CompareWithProps): ReactElement {
  const { data, error } = useAnswer('listRuns', { workflow, limit: runsShown + 1 });
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Skeleton lines={4} label="Loading runs" />;
  const others = data.items.filter((run) => run.runId !== runId).slice(0, runsShown);
  if (others.length === 0)
    return (
      <EmptyState title={`There is no other run of ${workflow}`}>
        Start it again, or enter the id of any run.
      </EmptyState>
    );
  return (
    <ul className="compare-others">
      {others.map((run) => (
        <li key={run.runId}>
          <Link href={addressOf.compare(runId, run.runId)} className="hd-link">
            Compare
          </Link>
          <RunStatusMark status={run.status} />
          <IdText id={run.runId} />
          <TimeText at={run.createdAt} />
        </li>
      ))}
    </ul>
  );
}

function ById({ runId }: { readonly runId: string }): ReactElement {
  const [, navigate] = useLocation();
  const [other, setOther] = useState('');
  return (
    <form
      className="compare-by-id"
      onSubmit={(event) => {
        event.preventDefault();
        if (other.trim() !== '') navigate(addressOf.compare(runId, other.trim()));
      }}
    >
      <label className="hd-field">
        <span className="hd-field-label">Or by its id</span>
        <input className="hd-input" value={other} onChange={({ currentTarget }) => setOther(currentTarget.value)} />
      </label>
      <Button type="submit" disabled={other.trim() === ''}>
        Compare
      </Button>
    </form>
  );
}
