// WorkflowPage: one workflow: does it work, what starts it, which versions are there, what ran of late.

import type { AnswerOf } from 'heddle/wire';
import {
  Button,
  DataTable,
  EmptyState,
  JsonView,
  Notice,
  RunList,
  TimeText,
  useAnswer,
  useLive,
  useMay,
} from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { addressOf, useParam } from '../addresses.ts';
import { Loaded, LoadedList, Page, Section } from '../page.tsx';
import { StartDialog } from '../runs/start-dialog.tsx';
import { Success, Took } from '../workflows/success.tsx';
import { TriggerTable } from './triggers-page.tsx';

type Version = AnswerOf<'listDefinitions'>['items'][number];
type NodeFigures = AnswerOf<'getNodeFigures'>['nodes'][number];

const weekMs = 604_800_000;
const recentRuns = 10;

export function WorkflowPage(): ReactElement {
  const id = useParam('id') ?? '';
  const versions = useAnswer('listDefinitions', { id, limit: 1_000 });
  const may = useMay();
  const [isStarting, setStarting] = useState(false);
  const isPublished = (versions.data?.items.length ?? 0) > 0;
  return (
    <Page
      title={id}
      above={
        <Link href="/workflows" className="hd-link">
          Workflows
        </Link>
      }
      actions={
        <>
          {isPublished && may('run:start') ? (
            <Button kind="primary" onClick={() => setStarting(true)}>
              Start a run
            </Button>
          ) : null}
          {may('definition:write') ? (
            <Link href={addressOf.editor(id)} className="hd-button">
              Edit
            </Link>
          ) : null}
        </>
      }
    >
      <DraftNotice workflow={id} />
      {isPublished && may('run:read') ? <Figures workflow={id} /> : null}
      {may('run:read') ? <RecentRuns workflow={id} /> : null}
      {may('trigger:read') ? <Triggers workflow={id} /> : null}
      <Section title="Versions">
        <LoadedList
          answer={versions}
          empty={{
            title: 'Nothing is published under this name',
            next: (
              <Link href={addressOf.editor(id)} className="hd-link">
                Draw it
              </Link>
            ),
          }}
        >
          {(items) => <Versions workflow={id} versions={items} />}
        </LoadedList>
      </Section>
      {isPublished ? <Definition workflow={id} /> : null}
      {isStarting ? <StartDialog workflow={id} onClose={() => setStarting(false)} /> : null}
    </Page>
  );
}

function RecentRuns({ workflow }: { readonly workflow: string }): ReactElement {
  return (
    <Section
      title="Recent runs"
      actions={
        <Link href={`/runs?workflow=${encodeURIComponent(workflow)}`} className="hd-link">
          All of them
        </Link>
      }
    >
      <RunList
        filter={{ workflow }}
        limit={recentRuns}
        isOfOneWorkflow
        link={(runId, text) => (
          <Link href={addressOf.run(runId)} className="hd-link">
            {text}
          </Link>
        )}
        empty={<EmptyState title="It was never started" />}
      />
    </Section>
  );
}

function DraftNotice({ workflow }: { readonly workflow: string }): ReactElement | null {
  const { data } = useAnswer('listDrafts', { limit: 1_000 });
  const draft = data?.items.find((each) => each.workflow === workflow);
  if (draft === undefined) return null;
  return (
    <Notice
      look={draft.isOutdated ? 'waiting' : 'idle'}
      title={
        draft.isOutdated
          ? 'The draft came from a version that is not the newest'
          : 'There is a draft that is not published'
      }
    >
      <span>
        Changed <TimeText at={draft.updatedAt} />
        {draft.author === undefined ? '' : ` by ${draft.author}`}.{' '}
        <Link href={addressOf.editor(workflow)} className="hd-link">
          Open it
        </Link>
      </span>
    </Notice>
  );
}

function Figures({ workflow }: { readonly workflow: string }): ReactElement {
  const overview = useAnswer('getOverview', { workflow, sinceMs: weekMs, buckets: 1 });
  const nodes = useAnswer('getNodeFigures', { workflow });
  useLive(['getOverview', 'getNodeFigures']);
  const figures = overview.data?.workflows.find((each) => each.workflow === workflow);
  return (
    <Section title="Last 7 days">
      <Loaded answer={overview} lines={2}>
        {() => (
          <dl className="app-facts">
            <dt>Started</dt>
            <dd>{figures?.started ?? 0}</dd>
            <dt>Succeeded</dt>
            <dd>
              <Success figures={figures} />
            </dd>
            {typeof figures?.p50Ms === 'number' ? (
              <>
                <dt>Took</dt>
                <dd>
                  half of them at most <Took ms={figures.p50Ms} />, 95 of 100 at most <Took ms={figures.p95Ms} />
                </dd>
              </>
            ) : null}
          </dl>
        )}
      </Loaded>
      <Loaded answer={nodes} lines={2}>
        {(answer) => (answer.nodes.length === 0 ? null : <NodeTable nodes={answer.nodes} runs={answer.runs} />)}
      </Loaded>
    </Section>
  );
}

function NodeTable({ nodes, runs }: { readonly nodes: readonly NodeFigures[]; readonly runs: number }): ReactElement {
  return (
    <details>
      <summary>
        Nodes in the newest {runs} {runs === 1 ? 'run' : 'runs'}
      </summary>
      <DataTable<NodeFigures>
        label="Nodes"
        rows={nodes}
        keyOf={({ nodeId }) => nodeId}
        columns={[
          { label: 'Node', show: ({ nodeId }) => nodeId },
          { label: 'Visits', align: 'end', show: ({ visits }) => visits },
          { label: 'Failures', align: 'end', show: ({ failures }) => failures },
          { label: 'Median', align: 'end', show: ({ p50Ms }) => <Took ms={p50Ms} /> },
          { label: '95 of 100', align: 'end', show: ({ p95Ms }) => <Took ms={p95Ms} /> },
        ]}
      />
    </details>
  );
}

function Triggers({ workflow }: { readonly workflow: string }): ReactElement | null {
  const { data } = useAnswer('listTriggers', { limit: 1_000 });
  const own = data?.items.filter(({ definition }) => definition.workflow === workflow) ?? [];
  if (own.length === 0) return null;
  return (
    <Section title="Triggers">
      <TriggerTable triggers={own} />
    </Section>
  );
}

function Versions({
  workflow,
  versions,
}: {
  readonly workflow: string;
  readonly versions: readonly Version[];
}): ReactElement {
  const rows = versions.toSorted((one, other) => other.version - one.version);
  return (
    <DataTable<Version>
      label="Versions"
      rows={rows}
      keyOf={({ version }) => String(version)}
      columns={[
        { label: 'Version', show: ({ version }) => version },
        { label: 'Registered', show: ({ createdAt }) => <TimeText at={createdAt} /> },
        { label: 'Hash', show: ({ hash }) => <code>{hash.slice(0, 12)}</code> },
        {
          label: 'Changes',
          show: ({ version }) =>
            version <= 1 ? null : (
              <Link href={`${addressOf.editor(workflow)}?diff=${version - 1}..${version}`} className="hd-link">
                against version {version - 1}
              </Link>
            ),
        },
      ]}
    />
  );
}

function Definition({ workflow }: { readonly workflow: string }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const stored = useAnswer('getDefinition', { id: workflow }, { enabled: isOpen });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Definition as JSON</summary>
      {isOpen ? (
        <Loaded answer={stored}>{({ definition }) => <JsonView value={definition} label="Definition" />}</Loaded>
      ) : null}
    </details>
  );
}
