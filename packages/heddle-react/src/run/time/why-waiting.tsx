// Why waiting: everything that a run waits for now, in sentences: what is missing, where it is, and whether it can still come.

import type { AnswerOf } from 'heddle/wire';
import { type ReactElement, useEffect, useState } from 'react';
import { useAnswer } from '../../connection/connection.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice, Skeleton } from '../../parts/notice.tsx';
import { type Look, StatusMark } from '../../parts/status-mark.tsx';
import { TimeText } from '../../parts/time-text.tsx';
import { AnswerLink } from '../run-links.tsx';

export interface WhyWaitingProps {
  readonly runId: string;
  /** Changes whenever something happened: then it is asked again. */
  readonly moment: number;
  readonly onSelectNode?: (node: string) => void;
  /** The branch that a token is in, for those who know; null: in none. */
  readonly branchOf?: (token: number) => string | null;
}

type Wait = AnswerOf<'listWaits'>['items'][number];

const shownAtFirst = 10;
/** What passes by itself, such as a worker that comes back, makes no event. */
const askedEveryMs = 5_000;

export function WhyWaiting({
  runId,
  moment,
  onSelectNode = ignore,
  branchOf = noBranch,
}: WhyWaitingProps): ReactElement {
  const { data, error, refetch } = useAnswer('listWaits', { runId }, { everyMs: askedEveryMs });
  const [shown, setShown] = useState(shownAtFirst);
  useEffect(() => {
    void refetch();
  }, [moment, refetch]);
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Skeleton lines={2} label="Finding out what it waits for" />;
  const { items, next } = data;
  const hidden = items.length - shown;
  return (
    <section className="hd-why" aria-label="Why is it waiting?">
      {items.length === 0 ? <p className="hd-json-note">It waits for nothing.</p> : null}
      <ul className="hd-waits">
        {items.slice(0, shown).map((wait) => (
          <WaitItem key={wait.id} wait={wait} onSelectNode={onSelectNode} branchOf={branchOf} />
        ))}
      </ul>
      {hidden > 0 ? (
        <Button size="small" onClick={() => setShown(items.length)}>
          Show {hidden.toLocaleString('en')} more
        </Button>
      ) : null}
      {next === null || hidden > 0 ? null : (
        <p className="hd-json-note">And more: the first {items.length} are listed.</p>
      )}
    </section>
  );
}

const ignore = (): void => undefined;
const noBranch = (): null => null;

const looks: Readonly<Record<Wait['kind'], Look>> = {
  paused: 'paused',
  worker: 'failed',
  task: 'active',
  prompt: 'waiting',
  event: 'waiting',
  credits: 'waiting',
  retry: 'waiting',
  timer: 'waiting',
  subrun: 'active',
  turn: 'idle',
  join: 'waiting',
};

interface WaitItemProps {
  readonly wait: Wait;
  readonly onSelectNode: (node: string) => void;
  readonly branchOf: (token: number) => string | null;
}

function WaitItem({ wait, onSelectNode, branchOf }: WaitItemProps): ReactElement {
  const { kind, node, token, text, since, until, join, correlationId } = wait;
  const branch = token === null ? null : branchOf(token);
  return (
    <li>
      <StatusMark look={looks[kind]} word={kind} />
      <span className="hd-wait-text">
        {node === null ? 'The run' : <NodeLink node={node} onSelectNode={onSelectNode} />}
        {branch === null ? '' : ` in ${branch}`} {text}
        <span className="hd-json-note">
          {since === null ? null : (
            <>
              , since <TimeText at={since} />
            </>
          )}
          {until === null ? null : (
            <>
              , due <TimeText at={until} />
            </>
          )}
        </span>{' '}
        {kind === 'prompt' && correlationId !== undefined ? <AnswerLink correlationId={correlationId} /> : null}
        {join === undefined ? null : <JoinText join={join} onSelectNode={onSelectNode} />}
      </span>
    </li>
  );
}

const NodeLink = ({
  node,
  onSelectNode,
}: { readonly node: string } & Pick<WaitItemProps, 'onSelectNode'>): ReactElement => (
  <button type="button" className="hd-plain-link" onClick={() => onSelectNode(node)}>
    {node}
  </button>
);

interface JoinTextProps {
  readonly join: NonNullable<Wait['join']>;
  readonly onSelectNode: (node: string) => void;
}

function JoinText({ join, onSelectNode }: JoinTextProps): ReactElement {
  const { arrived, stillPossible, gone, missing } = join;
  return (
    <>
      <span className="hd-wait-counts">
        {arrived.toLocaleString('en')} arrived, {stillPossible.toLocaleString('en')} may still come,{' '}
        {gone.toLocaleString('en')} will not
      </span>
      <ul className="hd-wait-missing">
        {missing.map(({ branch, edge, node, text }) => (
          <li key={branch ?? edge}>
            {branch === undefined ? edge : `#${branch}`}{' '}
            {node === undefined ? null : <NodeLink node={node} onSelectNode={onSelectNode} />} {text}
          </li>
        ))}
      </ul>
    </>
  );
}
