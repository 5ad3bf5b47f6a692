// TrialAsks: what a trial needs of whoever tries: answers to prompts, events from outside, or that time is skipped.

import type { Json, JsonSchema } from 'heddle';
import { type ReactElement, type ReactNode, useState } from 'react';
import { initialValue } from '../../forms/form-values.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Button } from '../../parts/button.tsx';
import { exactText } from '../../parts/time-text.tsx';
import type { TrialSession } from './session.ts';
import type { TrialView } from './trial-view.ts';

export function TrialAsks({
  view,
  session,
}: {
  readonly view: TrialView;
  readonly session: TrialSession;
}): ReactElement | null {
  const { prompts, awaited, timerAt, next } = view;
  if (prompts.length + awaited.length === 0) return null;
  return (
    <section className="hd-trial-asks" aria-label="What the trial asks">
      {prompts.map((prompt) => (
        <Ask
          key={prompt.correlationId}
          title={prompt.title ?? prompt.nodeId}
          schema={prompt.schema ?? true}
          label={`Answer to ${prompt.nodeId}`}
          button="Answer"
          onSend={(payload) => session.reply(prompt, payload)}
        >
          {prompt.description}
        </Ask>
      ))}
      {awaited.map((wait) => (
        <Ask
          key={`${wait.runId}:${wait.tokenId}`}
          title={`${wait.nodeId} waits for the event ${wait.event}${wait.correlation === '' ? '' : ` of ${wait.correlation}`}`}
          schema={true}
          label={`Payload of ${wait.event}`}
          button="Let it come"
          onSend={(payload) => session.publish(wait, payload)}
        />
      ))}
      {next.type === 'person' && timerAt !== null ? (
        <Button onClick={() => void session.skipTime()}>Skip time to {exactText(timerAt)}</Button>
      ) : null}
    </section>
  );
}

interface AskProps {
  readonly title: string;
  readonly schema: JsonSchema;
  readonly label: string;
  readonly button: string;
  readonly onSend: (payload: Json) => Promise<void>;
  readonly children?: ReactNode;
}

function Ask({ title, schema, label, button, onSend, children }: AskProps): ReactElement {
  const [value, setValue] = useState<Json | undefined>(() => initialValue(schema) ?? {});
  return (
    <form
      className="hd-trial-ask"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        void onSend(value ?? null);
      }}
    >
      <strong>{title}</strong>
      {children === null || children === undefined ? null : <p>{children}</p>}
      <SchemaForm {...{ schema, value, label }} onChange={setValue} />
      <div>
        <Button type="submit" kind="primary">
          {button}
        </Button>
      </div>
    </form>
  );
}
