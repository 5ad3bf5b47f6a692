// WorkflowsPage: what is there, and does it work?

import { Button, DataTable, EmptyState, StatusMark, TimeText, useAnswer, useLive, useMay } from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { addressOf } from '../addresses.ts';
import { Loaded, Page } from '../page.tsx';
import { StartDialog } from '../runs/start-dialog.tsx';
import { ImportButton } from '../workflows/import-button.tsx';
import { type ListedWorkflow, listedWorkflows } from '../workflows/listed-workflows.ts';
import { NewDialog } from '../workflows/new-dialog.tsx';
import { Success, Took } from '../workflows/success.tsx';

const weekMs = 604_800_000;

export function WorkflowsPage(): ReactElement {
  const definitions = useAnswer('listDefinitions', { limit: 1_000 });
  const drafts = useAnswer('listDrafts', { limit: 1_000 });
  const may = useMay();
  const figures = useAnswer('getOverview', { sinceMs: weekMs, buckets: 1 }, { enabled: may('run:read') });
  useLive(['listDefinitions', 'getOverview']);
  const [isDrawing, setDrawing] = useState(false);
  const [starting, setStarting] = useState<string | null>(null);
  return (
    <Page
      title="Workflows"
      actions={
        may('definition:write') ? (
          <>
            <ImportButton />
            <Button kind="primary" onClick={() => setDrawing(true)}>
              Draw a workflow
            </Button>
          </>
        ) : null
      }
    >
      <Loaded answer={definitions} lines={6}>
        {({ items }) => {
          const rows = listedWorkflows(items, drafts.data?.items ?? [], figures.data?.workflows ?? []);
          return rows.length === 0 ? (
            <EmptyState title="No workflows yet">
              Draw one, import a file, or register definitions with <code>heddle serve --definitions FOLDER</code>.
            </EmptyState>
          ) : (
            <WorkflowTable rows={rows} onStart={setStarting} />
          );
        }}
      </Loaded>
      {isDrawing ? <NewDialog onClose={() => setDrawing(false)} /> : null}
      {starting === null ? null : <StartDialog workflow={starting} onClose={() => setStarting(null)} />}
    </Page>
  );
}

interface WorkflowTableProps {
  readonly rows: readonly ListedWorkflow[];
  readonly onStart: (workflow: string) => void;
}

function WorkflowTable({ rows, onStart }: WorkflowTableProps): ReactElement {
  const may = useMay();
  return (
    <DataTable<ListedWorkflow>
      label="Workflows"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Workflow',
          show: ({ id, description }) => (
            <>
              <Link href={addressOf.workflow(id)} className="hd-link">
                {id}
              </Link>
              {description === undefined ? null : <div className="app-workflow-description">{description}</div>}
            </>
          ),
        },
        { label: 'Version', show: ({ version }) => version ?? 'not published' },
        {
          label: 'Draft',
          show: ({ draft }) =>
            draft === undefined ? null : (
              <StatusMark
                look={draft.isOutdated ? 'waiting' : 'idle'}
                word={draft.isOutdated ? 'outdated' : 'in work'}
              />
            ),
        },
        { label: 'Success, 7 days', show: ({ figures }) => <Success figures={figures} /> },
        { label: 'Median', align: 'end', show: ({ figures }) => <Took ms={figures?.p50Ms} /> },
        { label: 'Registered', show: ({ createdAt }) => (createdAt === null ? '' : <TimeText at={createdAt} />) },
        {
          label: 'Actions',
          show: ({ id, version }) => (
            <span className="app-page-actions">
              {version !== null && may('run:start') ? (
                <Button size="small" aria-label={`Start ${id}`} onClick={() => onStart(id)}>
                  Start
                </Button>
              ) : null}
              {may('definition:write') ? (
                <Link href={addressOf.editor(id)} className="hd-button" data-size="small" aria-label={`Edit ${id}`}>
                  Edit
                </Link>
              ) : null}
            </span>
          ),
        },
      ]}
    />
  );
}
