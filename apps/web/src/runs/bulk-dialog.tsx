// BulkDialog: cancel or retry several runs: first what will be done, then what came of it.

import { Button, Dialog, ErrorNotice, RunStatusMark, toldError, useAnswer, useConnection } from 'heddle-react';
import { type ReactElement, useState } from 'react';

export type BulkKind = 'cancel' | 'retry';

export interface BulkDialogProps {
  readonly kind: BulkKind;
  readonly runIds: readonly string[];
  readonly onClose: () => void;
}

const words: Readonly<Record<BulkKind, { readonly title: string; readonly done: string; readonly what: string }>> = {
  cancel: {
    title: 'Cancel runs',
    done: 'cancelled',
    what: 'Work of these runs ends, their prompts close, and their sub-runs are cancelled too. This cannot be undone.',
  },
  retry: {
    title: 'Retry runs',
    done: 'retried',
    what: 'For each, a new run resumes just before the failure. What had finished is kept and not done again.',
  },
};

type Outcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

export function BulkDialog({ kind, runIds, onClose }: BulkDialogProps): ReactElement {
  const { client, queries } = useConnection();
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, Outcome>> | null>(null);
  const [isRunning, setRunning] = useState(false);
  const { title, what, done } = words[kind];
  const perform = async (): Promise<void> => {
    setRunning(true);
    const found: Record<string, Outcome> = {};
    for (const runId of runIds) {
      found[runId] = await client.call(kind === 'cancel' ? 'cancelRun' : 'retryRun', { runId }).then(
        (answer) => outcomeOf(answer),
        (error: unknown) => ({ ok: false, message: toldError(error).message }),
      );
      setOutcomes({ ...found });
    }
    setRunning(false);
    await queries.invalidateQueries({ queryKey: ['listRuns'] });
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{outcomes === null ? 'Leave them' : 'Close'}</Button>
          {outcomes === null ? (
            <Button kind={kind === 'cancel' ? 'danger' : 'primary'} disabled={isRunning} onClick={() => void perform()}>
              {kind === 'cancel' ? 'Cancel' : 'Retry'} {runIds.length} {runIds.length === 1 ? 'run' : 'runs'}
            </Button>
          ) : null}
        </>
      }
    >
      <p className="app-hint">{what}</p>
      <ul className="app-bulk">
        {runIds.map((runId) => (
          <BulkRun key={runId} runId={runId} outcome={outcomes?.[runId]} done={done} />
        ))}
      </ul>
    </Dialog>
  );
}

function outcomeOf(answer: object): Outcome {
  if (!('applied' in answer) || answer.applied === true) return { ok: true };
  return { ok: false, message: 'reason' in answer ? String(answer.reason) : 'It changed nothing' };
}

interface BulkRunProps {
  readonly runId: string;
  readonly outcome: Outcome | undefined;
  readonly done: string;
}

function BulkRun({ runId, outcome, done }: BulkRunProps): ReactElement {
  const { data, error } = useAnswer('getRun', { runId });
  return (
    <li>
      <code>{runId}</code> {data?.workflow} {data === undefined ? null : <RunStatusMark status={data.status} />}
      {outcome === undefined ? null : <strong>{outcome.ok ? done : outcome.message}</strong>}
      {error === null ? null : <ErrorNotice error={error} />}
    </li>
  );
}
