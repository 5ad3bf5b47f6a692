// EditorPage: draws a workflow, or shows how two versions of it differ (`?diff=3..5`). `?run=ID` tries it with the data of a
// past run.

import { VersionDifference, WorkflowEditor } from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { Link, useParams, useSearch } from 'wouter';
import './editor-page.css';

export function EditorPage(): ReactElement {
  const { id = '' } = useParams();
  const search = new URLSearchParams(useSearch());
  const versions = /^(\d+)\.\.(\d+)$/.exec(search.get('diff') ?? '');
  const runId = search.get('run');
  if (versions !== null) return <VersionDifference workflow={id} from={Number(versions[1])} to={Number(versions[2])} />;
  return <Draw key={id} workflow={id} runId={runId ?? undefined} />;
}

function Draw({ workflow, runId }: { readonly workflow: string; readonly runId: string | undefined }): ReactElement {
  const [version, setVersion] = useState<number | null>(null);
  return (
    <div className="app-editor">
      {version === null ? null : (
        <p className="app-editor-published" role="status">
          Version {version} is published.{' '}
          <Link href={`/workflows/${encodeURIComponent(workflow)}`}>Start a run of it</Link>
        </p>
      )}
      <WorkflowEditor workflow={workflow} {...(runId === undefined ? {} : { runId })} onPublished={setVersion} />
    </div>
  );
}
