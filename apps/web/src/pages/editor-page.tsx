// EditorPage: draws a workflow, or shows how two versions of it differ (`?diff=3..5`). `?run=ID` tries it with the data of a
// past run.

import { Button, useAnswer, useMay, VersionDifference, WorkflowEditor } from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { Link, useLocation, useParams, useSearch } from 'wouter';
import { addressOf } from '../addresses.ts';
import { StartDialog } from '../runs/start-dialog.tsx';
import './editor-page.css';

export function EditorPage(): ReactElement {
  const { id = '' } = useParams();
  const search = new URLSearchParams(useSearch());
  const versions = /^(\d+)\.\.(\d+)$/.exec(search.get('diff') ?? '');
  const runId = search.get('run');
  if (versions !== null) return <Difference workflow={id} from={Number(versions[1])} to={Number(versions[2])} />;
  return <Draw key={id} workflow={id} runId={runId ?? undefined} />;
}

function Draw({ workflow, runId }: { readonly workflow: string; readonly runId: string | undefined }): ReactElement {
  const [version, setVersion] = useState<number | null>(null);
  const [isStarting, setStarting] = useState(false);
  const may = useMay();
  return (
    <div className="app-editor">
      {version === null ? null : (
        <p className="app-editor-published" role="status">
          Version {version} is published.{' '}
          {may('run:start') ? (
            <Button size="small" onClick={() => setStarting(true)}>
              Start a run of it
            </Button>
          ) : null}{' '}
          <Link href={addressOf.workflow(workflow)} className="hd-link">
            Its versions and runs
          </Link>
        </p>
      )}
      {isStarting ? <StartDialog workflow={workflow} onClose={() => setStarting(false)} /> : null}
      <WorkflowEditor workflow={workflow} {...(runId === undefined ? {} : { runId })} onPublished={setVersion} />
    </div>
  );
}

interface DifferenceProps {
  readonly workflow: string;
  readonly from: number;
  readonly to: number;
}

/** Any two versions can be chosen; the newest first. */
function Difference({ workflow, from, to }: DifferenceProps): ReactElement {
  const { data } = useAnswer('listDefinitions', { id: workflow, limit: 1_000 });
  const [, navigate] = useLocation();
  const versions = (data?.items ?? []).map(({ version }) => version).toSorted((one, other) => other - one);
  const show = (next: Partial<DifferenceProps>): void => {
    const chosen = { from, to, ...next };
    navigate(`${addressOf.editor(workflow)}?diff=${chosen.from}..${chosen.to}`);
  };
  return (
    <div className="app-difference">
      <div className="app-difference-bar">
        <Link href={addressOf.workflow(workflow)} className="hd-link">
          {workflow}
        </Link>
        <VersionChoice label="From" value={from} versions={versions} onChange={(version) => show({ from: version })} />
        <VersionChoice label="To" value={to} versions={versions} onChange={(version) => show({ to: version })} />
      </div>
      <VersionDifference workflow={workflow} from={from} to={to} />
    </div>
  );
}

interface VersionChoiceProps {
  readonly label: string;
  readonly value: number;
  readonly versions: readonly number[];
  readonly onChange: (version: number) => void;
}

function VersionChoice({ label, value, versions, onChange }: VersionChoiceProps): ReactElement {
  // What the address says is shown, whether it is there or not.
  const offered = versions.includes(value) ? versions : [value, ...versions];
  return (
    <label className="app-difference-choice">
      {label}
      <select className="hd-input" value={value} onChange={({ target }) => onChange(Number(target.value))}>
        {offered.map((version) => (
          <option key={version} value={version}>
            version {version}
          </option>
        ))}
      </select>
    </label>
  );
}
