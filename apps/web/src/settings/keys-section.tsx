// KeysSection: API keys, and tokens for one run or one workflow.

import type { Json } from 'heddle';
import { type AnswerOf, type RequestOf, scopes } from 'heddle/wire';
import { Button, CopyButton, DataTable, Dialog, TimeText, useAnswer } from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { ConfirmButton, FormDialog } from '../form-dialog.tsx';
import { objectOf, textAt } from '../json-objects.ts';
import { LoadedList, Section } from '../page.tsx';

type Key = AnswerOf<'listKeys'>['items'][number];
type Token = AnswerOf<'listIssuedTokens'>['items'][number];

export function KeysSection(): ReactElement {
  const keys = useAnswer('listKeys', { limit: 1_000 });
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  return (
    <Section
      title="API keys"
      hint="Whoever has a key may do what its scopes say. As long as there is none, this server is open on its own machine."
      actions={<Button onClick={() => setCreating(true)}>Create a key</Button>}
    >
      <LoadedList
        answer={keys}
        empty={{ title: 'No keys', next: 'The first key closes the server to whoever has none.' }}
      >
        {(items) => <KeyTable keys={items} onMade={setMade} />}
      </LoadedList>
      {isCreating ? (
        <FormDialog
          title="Create a key"
          schema={keySchema}
          operation="createKey"
          toRequest={(value) => ({
            name: textAt(value, 'name') ?? '',
            scopes: scopesOf(value),
          })}
          changes={['listKeys']}
          submitLabel="Create"
          onClose={() => setCreating(false)}
          onDone={({ key }) => {
            setCreating(false);
            setMade(key);
          }}
        />
      ) : null}
      {made === null ? null : <ShownOnce text={made} onClose={() => setMade(null)} />}
    </Section>
  );
}

function KeyTable({
  keys,
  onMade,
}: {
  readonly keys: readonly Key[];
  readonly onMade: (key: string) => void;
}): ReactElement {
  return (
    <DataTable<Key>
      label="API keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Name', show: ({ name }) => name },
        { label: 'Id', show: ({ id }) => <code>{id}</code> },
        { label: 'Scopes', show: ({ scopes: of }) => (of.includes('*') ? 'all' : of.join(', ')) },
        { label: 'Made', show: ({ createdAt }) => <TimeText at={createdAt} /> },
        { label: 'Ends', show: ({ expiresAt }) => (expiresAt === null ? 'never' : <TimeText at={expiresAt} />) },
        {
          label: 'Actions',
          show: ({ id, name }) => (
            <span className="app-page-actions">
              <ConfirmButton
                label="Rotate"
                of={name}
                text="A new key with the same rights is made. The old one works for another day."
                operation="rotateKey"
                request={{ id }}
                changes={['listKeys']}
                onDone={({ key }) => onMade(key)}
              />
              <ConfirmButton
                label="Revoke"
                of={name}
                text="Whoever uses it is refused at once, also in open pages and streams. Its tokens and sessions end with it."
                operation="revokeKey"
                request={{ id }}
                changes={['listKeys', 'whoAmI']}
              />
            </span>
          ),
        },
      ]}
    />
  );
}

const keySchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Name', description: 'What it is for.' },
    all: { type: 'boolean', title: 'May do everything', default: false },
    scopes: { type: 'array', title: 'Or only', uniqueItems: true, items: { enum: [...scopes] } },
  },
};

function scopesOf(value: Json | undefined): readonly string[] {
  const { all, scopes: chosen } = objectOf(value);
  return all === true ? ['*'] : scopes.filter((scope) => Array.isArray(chosen) && chosen.includes(scope));
}

export function TokensSection(): ReactElement {
  const tokens = useAnswer('listIssuedTokens', { limit: 1_000 });
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  return (
    <Section
      title="Tokens for one run or workflow"
      hint="Short-lived, to look or to answer prompts: for views in your own product."
      actions={<Button onClick={() => setCreating(true)}>Create a token</Button>}
    >
      <LoadedList answer={tokens} empty={{ title: 'No tokens' }}>
        {(items) => (
          <DataTable<Token>
            label="Tokens"
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              { label: 'Name', show: ({ name, id }) => (name === '' ? id : name) },
              {
                label: 'For',
                show: ({ only }) => ('runId' in only ? `run ${only.runId}` : `workflow ${only.workflow}`),
              },
              { label: 'May', show: ({ may }) => (may === 'read' ? 'look' : 'look and answer') },
              { label: 'Ends', show: ({ expiresAt }) => <TimeText at={expiresAt} /> },
              {
                label: 'Actions',
                show: ({ id, name }) => (
                  <ConfirmButton
                    label="Revoke"
                    of={name === '' ? id : name}
                    text="Views that use it are refused at once."
                    operation="revokeToken"
                    request={{ id }}
                    changes={['listIssuedTokens']}
                  />
                ),
              },
            ]}
          />
        )}
      </LoadedList>
      {isCreating ? (
        <FormDialog
          title="Create a token"
          schema={tokenSchema}
          operation="createToken"
          toRequest={tokenRequestOf}
          changes={['listIssuedTokens']}
          submitLabel="Create"
          onClose={() => setCreating(false)}
          onDone={({ token }) => {
            setCreating(false);
            setMade(token);
          }}
        />
      ) : null}
      {made === null ? null : <ShownOnce text={made} onClose={() => setMade(null)} />}
    </Section>
  );
}

function tokenRequestOf(value: Json | undefined): RequestOf<'createToken'> {
  const name = textAt(value, 'name');
  const runId = textAt(value, 'runId');
  const workflow = textAt(value, 'workflow');
  return {
    may: textAt(value, 'may') === 'reply' ? 'reply' : 'read',
    ...(runId === undefined ? {} : { runId }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(name === undefined ? {} : { name }),
  };
}

const tokenSchema = {
  type: 'object',
  required: ['may'],
  properties: {
    name: { type: 'string', title: 'Name', description: 'What it is for.' },
    runId: { type: 'string', title: 'Run', description: 'A run, with the runs below it.' },
    workflow: { type: 'string', title: 'Or workflow', description: 'All runs of it.' },
    may: {
      title: 'May',
      default: 'read',
      oneOf: [
        { const: 'read', title: 'look' },
        { const: 'reply', title: 'look and answer prompts' },
      ],
    },
  },
};

function ShownOnce({ text, onClose }: { readonly text: string; readonly onClose: () => void }): ReactElement {
  return (
    <Dialog
      title="Keep it now"
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          I have it
        </Button>
      }
    >
      <p className="app-hint">It is shown this once.</p>
      <p className="app-secret">
        <code>{text}</code>
        <CopyButton text={text} label="Copy it" />
      </p>
    </Dialog>
  );
}
