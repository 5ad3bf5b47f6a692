// UpkeepSection: how long runs are kept, copies of the store, and how large it is.

import type { AnswerOf } from 'heddle/wire';
import { Button, DataTable, ErrorNotice, Notice, useAnswer, useChange } from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { ConfirmButton, FormDialog } from '../form-dialog.tsx';
import { numberAt, textAt } from '../json-objects.ts';
import { Loaded, LoadedList, Section } from '../page.tsx';

type Rule = AnswerOf<'listRetention'>['items'][number];

export function RetentionSection(): ReactElement {
  const rules = useAnswer('listRetention', { limit: 1_000 });
  const [isSetting, setSetting] = useState(false);
  return (
    <Section
      title="Retention"
      hint="How long runs are kept after they have ended. Without a rule: forever."
      actions={
        <>
          <ConfirmButton
            label="Delete now"
            of="what is past its time"
            text="Runs that are past their time are deleted now, with their sub-runs. It also happens by itself, once an hour."
            operation="sweep"
            request={{}}
            changes={['listRuns', 'countRuns', 'getStats']}
          />
          <Button size="small" onClick={() => setSetting(true)}>
            Set a rule
          </Button>
        </>
      }
    >
      <LoadedList answer={rules} empty={{ title: 'No rules', next: 'Every run is kept.' }}>
        {(items) => <RuleTable rules={items} />}
      </LoadedList>
      {isSetting ? (
        <FormDialog
          title="Set a rule"
          schema={ruleSchema}
          operation="setRetention"
          toRequest={(value) => {
            const days = numberAt(value, 'days');
            const keepLast = numberAt(value, 'keepLast');
            return {
              workflow: textAt(value, 'workflow') ?? '',
              ...(days === undefined ? {} : { days }),
              ...(keepLast === undefined ? {} : { keepLast }),
            };
          }}
          changes={['listRetention']}
          submitLabel="Set"
          onClose={() => setSetting(false)}
        />
      ) : null}
    </Section>
  );
}

function RuleTable({ rules }: { readonly rules: readonly Rule[] }): ReactElement {
  return (
    <DataTable<Rule>
      label="Retention"
      rows={rules}
      keyOf={({ workflow }) => workflow}
      columns={[
        { label: 'Workflow', show: ({ workflow }) => (workflow === '*' ? 'all others' : workflow) },
        { label: 'Days', show: ({ days }) => days ?? 'any' },
        { label: 'Keeps the newest', show: ({ keepLast }) => keepLast ?? 'none' },
        {
          label: 'Actions',
          show: ({ workflow }) => (
            <ConfirmButton
              label="Remove"
              of={`the rule of ${workflow}`}
              text="Its runs are kept by the rule for all others, or forever."
              operation="removeRetention"
              request={{ workflow }}
              changes={['listRetention']}
            />
          ),
        },
      ]}
    />
  );
}

const ruleSchema = {
  type: 'object',
  required: ['workflow'],
  properties: {
    workflow: {
      type: 'string',
      title: 'Workflow',
      description: '* for all that have no rule of their own.',
      default: '*',
    },
    days: { type: 'integer', title: 'Days', minimum: 1, description: 'Runs that ended longer ago are deleted.' },
    keepLast: { type: 'integer', title: 'Keep the newest', minimum: 1, description: 'So many of each workflow stay.' },
  },
};

export function StoreSection(): ReactElement {
  const stats = useAnswer('getStats', {});
  const backUp = useChange('backUp');
  const audit = useChange('audit');
  return (
    <Section
      title="Store"
      actions={
        <>
          <Button size="small" disabled={backUp.isRunning} onClick={() => backUp.run({})}>
            Back up
          </Button>
          <Button size="small" disabled={audit.isRunning} onClick={() => audit.run({})}>
            Check every journal
          </Button>
        </>
      }
    >
      {backUp.answer === undefined ? null : <Notice look="done" title={`Written to ${backUp.answer.file}`} />}
      {audit.answer === undefined ? null : <AuditNotice audit={audit.answer} />}
      {[backUp.error, audit.error].map((error, place) =>
        error === null ? null : <ErrorNotice key={place} error={error} />,
      )}
      <Loaded answer={stats}>{(data) => <Sizes stats={data} />}</Loaded>
    </Section>
  );
}

function AuditNotice({ audit: { runs, rows, problems } }: { readonly audit: AnswerOf<'audit'> }): ReactElement {
  const looked = `${runs.toLocaleString('en')} runs, ${rows.toLocaleString('en')} rows`;
  return problems.length === 0 ? (
    <Notice look="done" title={`Nothing is missing, nothing was changed: ${looked}`} />
  ) : (
    <Notice title={`${problems.length} problems in ${looked}`}>
      <code>{JSON.stringify(problems.slice(0, 20), null, 2)}</code>
    </Notice>
  );
}

function Sizes({ stats: { journalRows, store } }: { readonly stats: AnswerOf<'getStats'> }): ReactElement {
  return (
    <dl className="app-facts">
      <Fact name="Journal rows" value={journalRows.toLocaleString('en')} />
      {store === null ? (
        <Fact name="Store" value="in memory" />
      ) : (
        <>
          <Fact name="Database file" value={megabytes(store.fileBytes)} />
          <Fact name="Write-ahead log" value={megabytes(store.walBytes)} />
          <Fact name="Free in the file" value={megabytes(store.freeBytes)} />
          <Fact name="Artifacts" value={artifactsText(store.artifacts)} />
        </>
      )}
    </dl>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

type StoreSizes = NonNullable<AnswerOf<'getStats'>['store']>;

function artifactsText({ count, bytes, isComplete }: StoreSizes['artifacts']): string {
  return `${count.toLocaleString('en')}${isComplete ? '' : ' or more'}, ${megabytes(bytes)}`;
}
