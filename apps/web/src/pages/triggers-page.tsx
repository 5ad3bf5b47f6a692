// TriggersPage: what starts runs by itself.

import type { Json, JsonSchema, TriggerDefinition, TriggerInfo } from 'heddle';
import {
  Button,
  DataTable,
  ErrorNotice,
  StatusMark,
  shortId,
  TimeText,
  useAnswer,
  useChange,
  useMay,
} from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { addressOf } from '../addresses.ts';
import { ConfirmButton, FormDialog } from '../form-dialog.tsx';
import { LoadedList, Page } from '../page.tsx';

const refreshMs = 10_000;

export function TriggersPage(): ReactElement {
  const triggers = useAnswer('listTriggers', { limit: 1_000 }, { everyMs: refreshMs });
  const [isCreating, setCreating] = useState(false);
  const may = useMay();
  return (
    <Page
      title="Triggers"
      actions={
        may('trigger:write') ? (
          <Button kind="primary" onClick={() => setCreating(true)}>
            Create a trigger
          </Button>
        ) : null
      }
    >
      <LoadedList
        answer={triggers}
        empty={{
          title: 'Nothing starts runs by itself',
          next: 'A trigger starts a workflow at set times, when an event is published, when a run ends, or when somebody calls its address.',
        }}
      >
        {(items) => <TriggerTable triggers={items} />}
      </LoadedList>
      {isCreating ? (
        <FormDialog
          title="Create a trigger"
          schema={triggerSchema}
          operation="createTrigger"
          toRequest={(trigger) => ({ trigger: trigger ?? null })}
          changes={['listTriggers']}
          submitLabel="Create"
          onClose={() => setCreating(false)}
        />
      ) : null}
    </Page>
  );
}

export function TriggerTable({ triggers }: { readonly triggers: readonly TriggerInfo[] }): ReactElement {
  return (
    <DataTable<TriggerInfo>
      label="Triggers"
      rows={triggers}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Trigger', show: ({ id, definition }) => definition.name ?? id },
        {
          label: 'Starts',
          show: ({ definition: { workflow } }) => (
            <Link href={addressOf.workflow(workflow)} className="hd-link">
              {workflow}
            </Link>
          ),
        },
        { label: 'When', show: ({ definition }) => whenOf(definition) },
        { label: 'Next', show: ({ nextAt }) => (nextAt === null ? '' : <TimeText at={nextAt} />) },
        {
          label: 'Last run',
          show: ({ lastRunId }) =>
            lastRunId === null ? (
              ''
            ) : (
              <Link href={addressOf.run(lastRunId)} className="hd-link">
                {shortId(lastRunId)}
              </Link>
            ),
        },
        {
          label: 'State',
          show: ({ enabled }) => <StatusMark look={enabled ? 'active' : 'paused'} word={enabled ? 'on' : 'off'} />,
        },
        { label: 'Actions', show: (trigger) => <TriggerActions trigger={trigger} /> },
      ]}
    />
  );
}

function whenOf(definition: TriggerDefinition): ReactElement | string {
  switch (definition.type) {
    case 'manual':
      return 'when it is fired by hand';
    case 'event':
      return `event ${definition.event}`;
    case 'schedule':
      return (
        <>
          <code>{definition.cron}</code> {definition.timeZone ?? 'UTC'}
        </>
      );
    case 'workflow_finished':
      return `${definition.source} ends${definition.statuses === undefined ? '' : ` (${definition.statuses.join(', ')})`}`;
    case 'webhook':
      return (
        <>
          call to <code>/v1/webhooks/TENANT/{definition.id}</code>
        </>
      );
  }
}

function TriggerActions({ trigger: { id, enabled, definition } }: { readonly trigger: TriggerInfo }): ReactElement {
  const may = useMay();
  const options = { changes: ['listTriggers', 'listRuns'] } as const;
  const enable = useChange('enableTrigger', options);
  const disable = useChange('disableTrigger', options);
  const fire = useChange('fireTrigger', options);
  const error = enable.error ?? disable.error ?? fire.error;
  return (
    <span className="app-page-actions">
      {definition.type === 'manual' && may('trigger:fire') ? (
        <Button size="small" aria-label={`Fire ${id}`} onClick={() => fire.run({ triggerId: id })}>
          Fire
        </Button>
      ) : null}
      {may('trigger:write') ? (
        <>
          <Button
            size="small"
            aria-label={`${enabled ? 'Switch off' : 'Switch on'} ${id}`}
            onClick={() => (enabled ? disable : enable).run({ id })}
          >
            {enabled ? 'Switch off' : 'Switch on'}
          </Button>
          <ConfirmButton
            label="Remove"
            of={id}
            text="It starts nothing any more. Runs that it has started continue."
            operation="removeTrigger"
            request={{ id }}
            changes={['listTriggers']}
          />
        </>
      ) : null}
      {error === null ? null : <ErrorNotice error={error} />}
    </span>
  );
}

const text = (title: string, description?: string): Record<string, Json> => ({
  type: 'string',
  title,
  ...(description === undefined ? {} : { description }),
});

function triggerOf(title: string, type: string, required: readonly string[], members: Record<string, Json>): Json {
  return {
    title,
    type: 'object',
    required: ['type', 'id', 'workflow', ...required],
    properties: {
      type: { const: type },
      id: text('Id', 'What it is called.'),
      workflow: text('Workflow', 'What is started, in its latest version.'),
      ...members,
    },
  };
}

/** What can be filled in here; the API takes more (mappings, filters, verification), as JSON. */
const triggerSchema: JsonSchema = {
  title: 'Trigger',
  oneOf: [
    triggerOf('At set times', 'schedule', ['cron'], {
      cron: text('Times', 'Minute, hour, day, month and weekday: 0 8 * * 1-5. Or @daily and the like.'),
      timeZone: text('Time zone', 'Such as Europe/Berlin. Without one: UTC.'),
      overlap: { title: 'While the run before is running', enum: ['skip', 'queue', 'allow'] },
    }),
    triggerOf('When an event is published', 'event', ['event'], { event: text('Event', 'Its name.') }),
    triggerOf('When a run of another workflow ends', 'workflow_finished', ['source'], {
      source: text('The other workflow'),
      statuses: {
        title: 'Only if it ended so',
        type: 'array',
        uniqueItems: true,
        items: { enum: ['completed', 'failed', 'cancelled', 'timed_out', 'exhausted'] },
      },
    }),
    triggerOf('By hand', 'manual', [], {}),
    triggerOf('When somebody calls its address', 'webhook', ['public'], {
      public: {
        type: 'boolean',
        title: 'Anybody may call',
        description: 'Otherwise, create it with `verify` by the API.',
      },
    }),
  ],
};
