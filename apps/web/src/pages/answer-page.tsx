// AnswerPage: a prompt behind a one-time link. Whoever answers has never seen the app, and has no key.

import type { AnswerOf } from 'heddle/wire';
import {
  AnswerForm,
  codeOf,
  EmptyState,
  ErrorNotice,
  Notice,
  PromptItem,
  Question,
  Skeleton,
  useAnswer,
  useChange,
  useNow,
} from 'heddle-react';
import { type ReactElement, useEffect, useState } from 'react';
import { useParam } from '../addresses.ts';

type Prompt = AnswerOf<'getPromptBySecret'>;

const over: Readonly<Record<Exclude<Prompt['status'], 'open'>, { readonly title: string; readonly text: string }>> = {
  queued: { title: 'It is not your turn yet', text: 'Somebody else is asked first. Come back to this page later.' },
  answered: { title: 'This was answered already', text: 'A link can be used once. Nothing more is needed from you.' },
  expired: {
    title: 'The time to answer is over',
    text: 'The deadline has passed, and the answer is no longer awaited.',
  },
  cancelled: { title: 'The answer is no longer needed', text: 'What asked for it has ended.' },
};

export function AnswerPage(): ReactElement {
  const tenant = useParam('tenant') ?? '';
  const secret = useParam('secret') ?? '';
  const { data, error, refetch } = useAnswer('getPromptBySecret', { tenant, secret }, { everyMs: 30_000 });
  // The prompt that somebody is answering stays, whatever becomes of it.
  const [shown, setShown] = useState<Prompt | null>(null);
  if (shown === null && data?.status === 'open') setShown(data);
  useEffect(() => {
    document.title = `${data?.title ?? 'Answer'} · Heddle`;
  }, [data]);
  return (
    <main className="app-answer">
      {shown === null ? (
        <Closed prompt={data} error={error} onRetry={() => void refetch()} />
      ) : (
        <OpenPrompt prompt={shown} now={data ?? shown} tenant={tenant} secret={secret} />
      )}
    </main>
  );
}

interface ClosedProps {
  readonly prompt: Prompt | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
}

function Closed({ prompt, error, onRetry }: ClosedProps): ReactElement {
  if (prompt !== undefined && prompt.status !== 'open')
    return (
      <EmptyState title={over[prompt.status].title}>
        <h1 className="hd-visually-hidden">{prompt.title ?? 'Answer'}</h1>
        <span>{over[prompt.status].text}</span>
      </EmptyState>
    );
  if (error === null) return <Skeleton lines={5} />;
  if (codeOf(error) === 'PROMPT_NOT_FOUND')
    return (
      <EmptyState title="This link leads to nothing">
        <h1 className="hd-visually-hidden">Answer</h1>
        <span>It is not complete, or what it was for is gone. Ask whoever sent it for another one.</span>
      </EmptyState>
    );
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

interface OpenPromptProps {
  readonly prompt: Prompt;
  /** The same, as it stands now. */
  readonly now: Prompt;
  readonly tenant: string;
  readonly secret: string;
}

function OpenPrompt({ prompt, now, tenant, secret }: OpenPromptProps): ReactElement {
  const reply = useChange('replyWithSecret');
  const time = useNow();
  const isLate = prompt.deadline !== null && time >= prompt.deadline;
  const status = isLate ? 'expired' : now.status;
  if (reply.answer !== undefined)
    return (
      <>
        <h1 className="hd-visually-hidden">{prompt.title ?? 'Answer'}</h1>
        <Notice
          look="done"
          title={reply.answer.applied ? 'Your answer has arrived. Thank you.' : 'The same answer was given before.'}
        >
          <span>You can close this page.</span>
        </Notice>
      </>
    );
  return (
    <>
      <Question
        level="h1"
        title={prompt.title ?? prompt.workflow}
        description={prompt.description}
        deadline={prompt.deadline}
        item={<PromptItem item={prompt.item} isLeftOut={prompt.isItemLeftOut === true} />}
      />
      <AnswerForm
        schema={prompt.schema}
        onAnswer={(payload) => reply.run({ tenant, secret, payload })}
        isSending={reply.isRunning}
        error={reply.error}
        late={status === 'open' ? null : `${over[status].title}. ${over[status].text}`}
      />
    </>
  );
}
