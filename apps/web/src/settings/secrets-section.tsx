// SecretsSection: values that actions may send to named hosts, and nobody may see.

import type { AnswerOf } from 'heddle/wire';
import { Button, DataTable, TimeText, useAnswer, useMay } from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { ConfirmButton, FormDialog } from '../form-dialog.tsx';
import { textAt } from '../json-objects.ts';
import { LoadedList, Section } from '../page.tsx';

type Secret = AnswerOf<'listSecrets'>['items'][number];

export function SecretsSection(): ReactElement {
  const secrets = useAnswer('listSecrets', { limit: 1_000 });
  const [isSetting, setSetting] = useState(false);
  const mayWrite = useMay()('secret:write');
  return (
    <Section
      title="Secrets"
      hint="Values that actions may send to the hosts named here. They are kept encrypted, and never shown."
      actions={mayWrite ? <Button onClick={() => setSetting(true)}>Set a secret</Button> : null}
    >
      <LoadedList answer={secrets} empty={{ title: 'No secrets' }}>
        {(items) => (
          <DataTable<Secret>
            label="Secrets"
            rows={items}
            keyOf={({ name }) => name}
            columns={[
              { label: 'Name', show: ({ name }) => <code>{name}</code> },
              { label: 'Hosts', show: ({ hosts }) => (hosts.length === 0 ? 'none' : hosts.join(', ')) },
              { label: 'Set', show: ({ updatedAt }) => <TimeText at={updatedAt} /> },
              {
                label: 'Actions',
                show: ({ name }) =>
                  mayWrite ? (
                    <ConfirmButton
                      label="Remove"
                      of={name}
                      text="Actions that send it fail from now on."
                      operation="removeSecret"
                      request={{ name }}
                      changes={['listSecrets']}
                    />
                  ) : null,
              },
            ]}
          />
        )}
      </LoadedList>
      {isSetting ? (
        <FormDialog
          title="Set a secret"
          schema={secretSchema}
          operation="setSecret"
          toRequest={(value) => ({
            name: textAt(value, 'name') ?? '',
            value: textAt(value, 'value') ?? '',
            hosts: (textAt(value, 'hosts') ?? '').split(/[\s,]+/).filter((host) => host !== ''),
          })}
          changes={['listSecrets']}
          submitLabel="Set"
          onClose={() => setSetting(false)}
        />
      ) : null}
    </Section>
  );
}

const secretSchema = {
  type: 'object',
  required: ['name', 'value'],
  properties: {
    name: { type: 'string', title: 'Name' },
    value: { type: 'string', format: 'password', title: 'Value', description: '8 characters or more.' },
    hosts: { type: 'string', title: 'Hosts', description: 'api.example.com, or *.example.com for all below it.' },
  },
};
