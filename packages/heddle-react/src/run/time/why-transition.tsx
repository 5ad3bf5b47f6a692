// Why transition: the decisions of the commit that an event belongs to, in words: every condition that was asked, what it came
// to and by which values; what joins were waiting for.

import { type ReactElement, useState } from 'react';
import { useAnswer } from '../../connection/connection.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice, Notice, Skeleton } from '../../parts/notice.tsx';
import { StatusShape } from '../../parts/status-mark.tsx';
import { type Sentence, sentencesOf } from './decision-sentences.ts';

export interface WhyTransitionProps {
  readonly runId: string;
  readonly eventId: string;
}

/** Asked for when somebody wants to know: the decisions are made again on the server. */
export function WhyTransition({ runId, eventId }: WhyTransitionProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="hd-why" aria-label="Why">
      <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Why?
      </Button>
      {isOpen ? <Decisions runId={runId} eventId={eventId} /> : null}
    </section>
  );
}

function Decisions({ runId, eventId }: WhyTransitionProps): ReactElement {
  const { data, error } = useAnswer('explainEvent', { runId, eventId }, { keepsLast: true });
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Skeleton lines={3} label="Finding out why" />;
  const sentences = sentencesOf(data.decisions);
  return (
    <>
      {sentences.length === 0 ? (
        <p className="hd-json-note">Nothing was decided here: the event is what came from outside.</p>
      ) : (
        <Sentences sentences={sentences} />
      )}
      {data.difference === null ? null : (
        <Notice look="waiting" title="Decided again, it would come out otherwise">
          From event {data.difference.eventId} on. The definition or this version of Heddle is not the one that decided
          then.
        </Notice>
      )}
    </>
  );
}

function Sentences({ sentences }: { readonly sentences: readonly Sentence[] }): ReactElement {
  return (
    <ul className="hd-why-list">
      {sentences.map(({ look, text, parts }) => (
        <li key={text} data-look={look}>
          <StatusShape look={look} />
          <span>{text}</span>
          {parts.length === 0 ? null : <Sentences sentences={parts} />}
        </li>
      ))}
    </ul>
  );
}
