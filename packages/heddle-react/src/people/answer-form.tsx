// AnswerForm: the form of a prompt. Wrong answers are told at their fields; whatever happens, what was typed stays.

import type { Json, JsonSchema } from 'heddle';
import { type ReactElement, type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { isUnreachable } from '../connection/connection.tsx';
import { initialValue } from '../forms/form-values.ts';
import { problemsInWords } from '../forms/problem-words.ts';
import { SchemaForm } from '../forms/schema-form.tsx';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/id-text.tsx';
import { ErrorNotice, Notice, toldError, toldProblems } from '../parts/notice.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { TimeText } from '../parts/time-text.tsx';

export interface AnswerFormProps {
  /** Null: any answer will do. */
  readonly schema: JsonSchema | null;
  readonly onAnswer: (payload: Json) => void;
  readonly isSending: boolean;
  /** What was refused; null: nothing. */
  readonly error: unknown;
  /** Why it cannot be answered any more. */
  readonly late?: string | null;
  readonly submitLabel?: string;
}

const freeSchema: JsonSchema = {
  description: 'Any answer will do. Write a text in quotes, or any other JSON: {"approved": true}.',
};

/** Those that a wrong field is filled in with; a yes or no has two. */
const wrongControls = '[aria-invalid="true"], fieldset[data-kind="flag"][data-wrong="true"] input';

export function AnswerForm({
  schema,
  onAnswer,
  isSending,
  error,
  late = null,
  submitLabel = 'Answer',
}: AnswerFormProps): ReactElement {
  const shape = schema ?? freeSchema;
  const [answer, setAnswer] = useState<Json | undefined>(() => initialValue(shape));
  const [sent, setSent] = useState<Json>(null);
  const form = useRef<HTMLFormElement>(null);
  const problems = problemsInWords(toldProblems(error), shape, sent);
  const isMissing = answer === undefined;
  // To the first field that is wrong, when it was refused.
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>(wrongControls)?.focus();
  }, [error]);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setSent(answer ?? null);
    onAnswer(answer ?? null);
  };
  return (
    <form ref={form} className="hd-answer-form" onSubmit={submit} aria-label="Answer">
      {late === null ? null : (
        <Notice look="waiting" title={late}>
          {isMissing ? null : (
            <span>
              What you have typed is still here.
              <CopyButton text={JSON.stringify(answer, null, 2)} label="Copy what you have typed" />
            </span>
          )}
        </Notice>
      )}
      <SchemaForm schema={shape} value={answer} onChange={setAnswer} problems={problems} label="Your answer" />
      {error === null ? null : <Refusal error={error} hasPlaces={problems.length > 0} />}
      <div>
        <Button kind="primary" type="submit" disabled={isSending || late !== null}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}

interface RefusalProps {
  readonly error: unknown;
  /** What is wrong stands at the fields. */
  readonly hasPlaces: boolean;
}

/** For whoever answers; what the server said is there for whoever wants to know. */
function Refusal({ error, hasPlaces }: RefusalProps): ReactElement {
  const { message, code } = toldError(error);
  if (isUnreachable(error))
    return (
      <Notice title="Your answer was not sent: the server cannot be reached.">
        <span>It is still here. Try again in a moment.</span>
      </Notice>
    );
  if (!hasPlaces) return <ErrorNotice error={error} />;
  return (
    <Notice title="The answer does not fit yet. What to change is said at the fields.">
      <details>
        <summary>What the server said</summary>
        {message} <code>{code}</code>
      </details>
    </Notice>
  );
}

export interface QuestionProps {
  readonly title: string;
  readonly description: string | null;
  readonly deadline: number | null;
  /** The one that it is about. */
  readonly item?: ReactNode;
  readonly level?: 'h1' | 'h2';
}

/** To the minute: nobody answers by the second. */
const deadlineText = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** What is asked, in the author's words. */
export function Question({ title, description, deadline, item, level: Heading = 'h2' }: QuestionProps): ReactElement {
  return (
    <div className="hd-question">
      <Heading>{title}</Heading>
      {description === null ? null : <p className="hd-prose">{description}</p>}
      {deadline === null ? null : (
        <p>
          <StatusMark look="waiting" word="Answer by" /> <strong>{deadlineText(deadline)}</strong> (
          <TimeText at={deadline} />)
        </p>
      )}
      {item}
    </div>
  );
}
