// PromptView: one prompt, or several that ask for the same, with the form that answers them.

import type { Json, Prompt } from 'heddle';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useChange, useConnection, useMay } from '../connection/connection.tsx';
import { readable } from '../forms/field-of.ts';
import { JsonView } from '../parts/json-view.tsx';
import { Notice, toldError } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { AnswerForm, Question } from './answer-form.tsx';
import { itemText, lateness, nameOf, plainMembers } from './answerable.ts';

const lateWords = {
  expired: 'The deadline has passed: this can no longer be answered.',
  closed: 'This is no longer open: it was answered meanwhile, or its run has ended.',
} as const;

export interface PromptViewProps {
  readonly prompt: Prompt;
  /** Those that are open now; undefined while that is not known. */
  readonly open: readonly Prompt[] | undefined;
  readonly onAnswered: (prompt: Prompt) => void;
  /** Below the question: where it comes from. */
  readonly source?: ReactNode;
}

export function PromptView({ prompt, open, onAnswered, source }: PromptViewProps): ReactElement {
  const { runId, correlationId, schema, item, isItemLeftOut } = prompt;
  const may = useMay();
  const reply = useChange('replyToPrompt', { changes: ['listPrompts', 'listRuns'], onDone: () => onAnswered(prompt) });
  const late = lateness(prompt, open, useNow());
  const isSaid = reply.error !== null || reply.isRunning; // an answer that is on its way closes the prompt, too
  return (
    <article className="hd-prompt" aria-label={nameOf(prompt)}>
      <Question
        title={nameOf(prompt)}
        description={prompt.description}
        deadline={prompt.deadline}
        item={<Item item={item} isLeftOut={isItemLeftOut === true} />}
      />
      {source}
      {may('prompt:reply') ? (
        <AnswerForm
          schema={schema}
          onAnswer={(payload) => reply.run({ runId, correlationId, payload })}
          isSending={reply.isRunning}
          error={reply.error}
          late={late === null || (isSaid && late === 'closed') ? null : lateWords[late]}
        />
      ) : (
        <Notice look="idle" title="You may look at prompts, and not answer them" />
      )}
    </article>
  );
}

export function Item({
  item,
  isLeftOut,
}: {
  readonly item: Json | undefined;
  readonly isLeftOut: boolean;
}): ReactElement | null {
  if (isLeftOut) return <p className="hd-field-hint">What it is about is too large to be shown here: see its run.</p>;
  if (item === undefined) return null;
  return (
    <div className="hd-question-item">
      <strong>About</strong>
      <ItemValue item={item} />
    </div>
  );
}

function ItemValue({ item }: { readonly item: Json }): ReactElement {
  const members = plainMembers(item);
  if (members === null)
    return typeof item === 'string' ? <p>{item}</p> : <JsonView value={item} label="What it is about" />;
  return (
    <dl>
      {members.map(([name, value]) => (
        <div key={name}>
          <dt>{readable(name)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface PromptsViewProps {
  /** With the same schema. */
  readonly prompts: readonly Prompt[];
  /** Those that were answered; the others stay, with what was wrong. */
  readonly onAnswered: (answered: readonly Prompt[]) => void;
}

/** One answer for many. */
export function PromptsView({ prompts, onAnswered }: PromptsViewProps): ReactElement {
  const { client, queries } = useConnection();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  const answerAll = async (payload: Json): Promise<void> => {
    setSending(true);
    setError(null);
    const answered: Prompt[] = [];
    const wrong: Record<string, string> = {};
    for (const prompt of prompts) {
      const { runId, correlationId } = prompt;
      try {
        await client.call('replyToPrompt', { runId, correlationId, payload });
        answered.push(prompt);
      } catch (caught) {
        wrong[correlationId] = toldError(caught).message;
        setError(caught);
      }
    }
    setSending(false);
    setRefused(wrong);
    await queries.invalidateQueries({ queryKey: ['listPrompts'] });
    onAnswered(answered);
  };
  return (
    <article className="hd-prompt" aria-label={`${prompts.length} prompts`}>
      <div className="hd-question">
        <h2>
          One answer for {prompts.length} {prompts.length === 1 ? 'prompt' : 'prompts'}
        </h2>
        <ul>
          {prompts.map((prompt) => (
            <li key={prompt.correlationId}>
              {nameOf(prompt)}
              {prompt.item === undefined ? null : ` (${itemText(prompt.item)})`}
              {refused[prompt.correlationId] === undefined ? null : (
                <span className="hd-field-problem"> {refused[prompt.correlationId]}</span>
              )}
            </li>
          ))}
        </ul>
      </div>
      <AnswerForm
        schema={prompts[0]?.schema ?? null}
        onAnswer={(payload) => void answerAll(payload)}
        isSending={isSending}
        error={error}
        submitLabel={`Answer ${prompts.length}`}
      />
    </article>
  );
}
