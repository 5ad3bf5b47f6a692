// WorkPage: who works? Workers, actions and what waits for them, node types.

import type { NodeTypeInfo } from 'heddle';
import type { AnswerOf } from 'heddle/wire';
import { DataTable, Notice, StatusMark, TimeText, useAnswer, useMay } from 'heddle-react';
import type { ReactElement } from 'react';
import { LoadedList, Page, Section } from '../page.tsx';

type Action = AnswerOf<'listActions'>['items'][number];
type Worker = AnswerOf<'listWorkers'>['items'][number];

const refreshMs = 5_000;
/** A worker asks again and again: one that was not heard of for so long is gone, or stuck. */
const silentMs = 60_000;

export function WorkPage(): ReactElement {
  const may = useMay();
  return (
    <Page title="Work">
      {may('run:read') ? (
        <>
          <MissingActions />
          <Workers />
        </>
      ) : null}
      {may('definition:read') ? (
        <>
          <Actions />
          <NodeTypes />
        </>
      ) : null}
    </Page>
  );
}

function MissingActions(): ReactElement | null {
  const { data } = useAnswer('getOverview', {}, { everyMs: refreshMs });
  const missing = data?.backlog.missingActions ?? [];
  if (missing.length === 0) return null;
  return (
    <Notice look="waiting" title="Tasks wait for actions that nobody has">
      <span>{missing.join(', ')}</span>
      <span>
        Start a worker that has them (<code>startWorker</code>), or give the server a file with them (
        <code>heddle serve --actions FILE</code>).
      </span>
    </Notice>
  );
}

function Workers(): ReactElement {
  const workers = useAnswer('listWorkers', {}, { everyMs: refreshMs });
  return (
    <Section title="Workers" hint="Processes that lease tasks from this server and do them elsewhere.">
      <LoadedList
        answer={workers}
        empty={{
          title: 'No workers',
          next: 'The actions of this server are done in its own process. Workers appear here when they ask for tasks.',
        }}
      >
        {(items) => (
          <DataTable<Worker>
            label="Workers"
            rows={items}
            keyOf={({ worker }) => worker}
            columns={[
              { label: 'Worker', show: ({ worker }) => worker },
              { label: 'State', show: (worker) => <WorkerState worker={worker} /> },
              { label: 'Heard of', show: ({ lastSeenAt }) => <TimeText at={lastSeenAt} /> },
              { label: 'Tasks', align: 'end', show: ({ leased }) => leased },
              { label: 'Actions', show: ({ actions }) => actions.join(', ') },
            ]}
          />
        )}
      </LoadedList>
    </Section>
  );
}

function WorkerState({ worker: { leased, lastSeenAt } }: { readonly worker: Worker }): ReactElement {
  if (Date.now() - lastSeenAt > silentMs) return <StatusMark look="waiting" word="silent" />;
  return leased > 0 ? <StatusMark look="active" word="working" /> : <StatusMark look="idle" word="idle" />;
}

function Actions(): ReactElement {
  const actions = useAnswer('listActions', { limit: 1_000 }, { everyMs: refreshMs });
  return (
    <Section title="Actions" hint="What nodes can do, where it is done, and how much waits for it.">
      <LoadedList
        answer={actions}
        empty={{ title: 'No actions', next: 'Give the server a file of them, or start a worker.' }}
      >
        {(items) => (
          <DataTable<Action>
            label="Actions"
            rows={items.toSorted((one, other) => other.waiting - one.waiting)}
            keyOf={({ name }) => name}
            columns={[
              { label: 'Action', show: ({ name }) => <code>{name}</code> },
              { label: 'Done', show: ({ place }) => (place === 'local' ? 'in this server' : 'by workers') },
              { label: 'Waiting', align: 'end', show: ({ waiting }) => waiting },
              { label: 'Leased', align: 'end', show: ({ leased }) => leased },
              {
                label: 'Asked for',
                show: ({ lastAskedAt }) => (lastAskedAt === null ? '' : <TimeText at={lastAskedAt} />),
              },
              { label: 'About', show: ({ description }) => description ?? '' },
            ]}
          />
        )}
      </LoadedList>
    </Section>
  );
}

const sources: Readonly<Record<NodeTypeInfo['source'], string>> = {
  core: 'built in',
  program: 'this server',
  workers: 'workers',
};

function NodeTypes(): ReactElement {
  const types = useAnswer('listNodeTypes', { limit: 1_000 });
  return (
    <Section title="Node types" hint="What drawn graphs can be made of.">
      <LoadedList answer={types} empty={{ title: 'No node types' }}>
        {(items) => (
          <DataTable<NodeTypeInfo>
            label="Node types"
            rows={items}
            keyOf={({ type }) => type}
            columns={[
              { label: 'Type', show: ({ type }) => <code>{type}</code> },
              {
                label: 'Title',
                show: ({ title, deprecated }) => (deprecated === undefined ? title : `${title} (deprecated)`),
              },
              { label: 'Category', show: ({ category }) => category ?? '' },
              { label: 'From', show: ({ source }) => sources[source] },
              { label: 'Side effects', show: ({ sideEffects }) => (sideEffects ? 'yes' : 'no') },
            ]}
          />
        )}
      </LoadedList>
    </Section>
  );
}
