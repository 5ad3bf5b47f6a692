// Inbox: what runs ask of people: a list, and the form of what is chosen. For people who have never seen a graph.
//
// Always true: a prompt that somebody is answering stays on the screen with what was typed, whatever becomes of it.

import type { Prompt } from 'heddle';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { useAnswer, useMay } from '../connection/connection.tsx';
import { useLive } from '../lists/live.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState, ErrorNotice, Notice, Skeleton } from '../parts/notice.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { answerableTogether, itemText, nameOf } from './answerable.ts';
import { PromptsView, PromptView } from './prompt-view.tsx';

const promptsMax = 1_000;

export interface InboxProps {
  /** Only what this run and the runs below it ask. */
  readonly runId?: string;
  /** The prompt that is shown, by its correlation id; absent: the component remembers it. */
  readonly selected?: string | null;
  readonly onSelect?: (correlationId: string | null) => void;
  /** A link to the run of a prompt. */
  readonly runLink?: (runId: string) => ReactNode;
}

export function Inbox({ runId, selected, onSelect, runLink }: InboxProps): ReactElement {
  const { data, error, refetch } = useAnswer('listPrompts', {
    limit: promptsMax,
    ...(runId === undefined ? {} : { runId }),
  });
  useLive(['listPrompts']);
  const may = useMay();
  const [own, setOwn] = useState<string | null>(null);
  const [several, setSeveral] = useState<ReadonlySet<string>>(new Set());
  const [answered, setAnswered] = useState<string | null>(null);
  const shown = selected === undefined ? own : selected;
  const prompt = useKept(data?.items, shown);
  const chosen = useKeptAll(data?.items, several);
  const select = (id: string | null): void => {
    setOwn(id);
    setAnswered(null);
    setSeveral(new Set());
    onSelect?.(id);
  };
  if (data === undefined) return <NotLoaded error={error} onRetry={() => void refetch()} />;
  const isOpen = shown !== null || several.size > 0;
  const finish = (text: string): void => {
    select(null);
    setAnswered(text);
  };
  return (
    <div className="hd-inbox" data-open={isOpen}>
      <div className="hd-inbox-list">
        {answered === null ? null : <Notice look="done" title={answered} />}
        {data.items.length === 0 ? (
          <EmptyState title="Nothing is asked of you">
            When a run needs an answer from a person, it appears here by itself.
          </EmptyState>
        ) : (
          <PromptList
            prompts={data.items}
            shown={shown}
            several={several}
            onSelect={select}
            {...(may('prompt:reply') ? { onSeveral: setSeveral } : {})}
          />
        )}
      </div>
      {isOpen ? (
        <OpenForm
          prompt={prompt}
          chosen={chosen}
          open={data.items}
          runLink={runLink}
          onBack={() => select(null)}
          onFinished={finish}
          onLeft={setSeveral}
        />
      ) : null}
    </div>
  );
}

function NotLoaded({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }): ReactElement {
  if (error === null) return <Skeleton lines={6} label="Loading prompts" />;
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

interface OpenFormProps {
  readonly prompt: Prompt | null;
  /** Those that are answered together. */
  readonly chosen: readonly Prompt[];
  readonly open: readonly Prompt[];
  readonly runLink: InboxProps['runLink'];
  readonly onBack: () => void;
  readonly onFinished: (text: string) => void;
  /** Those that are left when some were answered. */
  readonly onLeft: (left: ReadonlySet<string>) => void;
}

function OpenForm({ prompt, chosen, open, runLink, onBack, onFinished, onLeft }: OpenFormProps): ReactElement {
  const keepLeft = (done: readonly Prompt[]): void => {
    const left = chosen.filter((each) => !done.includes(each));
    if (left.length === 0) onFinished(`${done.length} answered. Thank you.`);
    else onLeft(new Set(left.map(({ correlationId }) => correlationId)));
  };
  return (
    <div className="hd-inbox-form">
      <div className="hd-inbox-back">
        <Button size="small" onClick={onBack}>
          Back to the list
        </Button>
      </div>
      {chosen.length > 0 ? (
        <PromptsView prompts={chosen} onAnswered={keepLeft} />
      ) : prompt === null ? (
        <Notice look="idle" title="This is not open: it was answered, its time is over, or its run has ended." />
      ) : (
        <PromptView
          key={prompt.correlationId}
          prompt={prompt}
          open={open}
          onAnswered={() => onFinished(`“${nameOf(prompt)}” is answered. Thank you.`)}
          source={
            <p className="hd-field-hint">
              Asked by {prompt.workflow} <TimeText at={prompt.requestedAt} /> {runLink?.(prompt.runId)}
            </p>
          }
        />
      )}
    </div>
  );
}

/** The prompt that is shown, also when it is open no more. */
function useKept(prompts: readonly Prompt[] | undefined, id: string | null): Prompt | null {
  const [kept] = useKeptAll(prompts, new Set(id === null ? [] : [id]));
  return kept ?? null;
}

function useKeptAll(prompts: readonly Prompt[] | undefined, ids: ReadonlySet<string>): readonly Prompt[] {
  const kept = useRef(new Map<string, Prompt>());
  for (const prompt of prompts ?? []) if (ids.has(prompt.correlationId)) kept.current.set(prompt.correlationId, prompt);
  return [...ids].flatMap((id) => kept.current.get(id) ?? []);
}

interface PromptListProps {
  readonly prompts: readonly Prompt[];
  readonly shown: string | null;
  readonly several: ReadonlySet<string>;
  readonly onSelect: (correlationId: string) => void;
  /** Absent: nothing can be answered. */
  readonly onSeveral?: (several: ReadonlySet<string>) => void;
}

function PromptList({ prompts, shown, several, onSelect, onSeveral }: PromptListProps): ReactElement {
  const together = answerableTogether(prompts, several);
  const toggle = (id: string): void => {
    const next = new Set(several);
    if (!next.delete(id)) next.add(id);
    onSeveral?.(next);
  };
  return (
    <>
      {several.size === 0 ? null : (
        <p className="hd-field-hint" role="status">
          {several.size} selected. Prompts that ask for another kind of answer cannot be answered with them.
        </p>
      )}
      <ul className="hd-prompts" aria-label="Open prompts">
        {prompts.map((prompt) => (
          <li key={prompt.correlationId} aria-current={prompt.correlationId === shown ? 'true' : undefined}>
            {onSeveral === undefined ? null : (
              <input
                type="checkbox"
                aria-label={`Answer ${nameOf(prompt)} with others`}
                checked={several.has(prompt.correlationId)}
                disabled={!together.has(prompt.correlationId)}
                onChange={() => toggle(prompt.correlationId)}
              />
            )}
            <button type="button" onClick={() => onSelect(prompt.correlationId)}>
              <strong>{nameOf(prompt)}</strong>
              {prompt.item === undefined ? null : <span>{itemText(prompt.item)}</span>}
              <span className="hd-field-hint">
                {prompt.workflow}, asked <TimeText at={prompt.requestedAt} />
                {prompt.deadline === null ? null : (
                  <>
                    , answer <TimeText at={prompt.deadline} />
                  </>
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
