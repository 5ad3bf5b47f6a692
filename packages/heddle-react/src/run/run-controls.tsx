// RunControls: what can be done to a run, each with a look at what it comes to before it is done. Only what whoever looks
// may do is offered.

import { type ReactElement, useState } from 'react';
import { useAnswer, useChange, useMay } from '../connection/connection.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice, Notice, Skeleton } from '../parts/notice.tsx';
import { type Control, cancelText, controlsFor, pauseText, resumeText, retryText } from './control-previews.ts';
import type { RunFigures, RunReading } from './run-source.ts';
import { StartAgain } from './start-again.tsx';

export interface RunControlsProps {
  readonly reading: RunReading;
  /** A new run was started: by a retry, or again. */
  readonly onStarted?: (runId: string) => void;
}

const labels: Readonly<Record<Control, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel',
  retry: 'Retry',
  'start again': 'Start again',
};

export function RunControls({ reading, onStarted = () => {} }: RunControlsProps): ReactElement | null {
  const may = useMay();
  const [asked, setAsked] = useState<Control | null>(null);
  const { figures, run } = reading;
  if (figures === null || run === null) return null;
  // Whatever moment is shown, it is done to the run as it is.
  const status = reading.isLive ? figures.status : run.status;
  const close = (): void => setAsked(null);
  const started = (runId: string): void => {
    close();
    onStarted(runId);
  };
  return (
    <div className="hd-controls" role="group" aria-label="What can be done to the run">
      {controlsFor(status, may).map((control) => (
        <Button key={control} kind={control === 'cancel' ? 'danger' : 'plain'} onClick={() => setAsked(control)}>
          {labels[control]}
        </Button>
      ))}
      {asked === 'start again' ? <StartAgain reading={reading} onClose={close} onStarted={started} /> : null}
      {asked === null || asked === 'start again' ? null : (
        <ControlDialog control={asked} runId={run.runId} figures={figures} onClose={close} onStarted={started} />
      )}
    </div>
  );
}

interface ControlDialogProps {
  readonly control: Exclude<Control, 'start again'>;
  readonly runId: string;
  readonly figures: RunFigures;
  readonly onClose: () => void;
  readonly onStarted: (runId: string) => void;
}

function ControlDialog({ control, runId, figures, onClose, onStarted }: ControlDialogProps): ReactElement {
  const { run, isRunning, error, refusal } = useControl(control, { runId, onClose, onStarted });
  const { preview, refused } = usePreview(control, runId, figures);
  return (
    <Dialog
      title={`${labels[control]} this run?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep things as they are</Button>
          <Button
            kind={control === 'cancel' ? 'danger' : 'primary'}
            disabled={isRunning || preview === null}
            onClick={run}
          >
            {labels[control]}
          </Button>
        </>
      }
    >
      {preview === null && refused === null ? <Skeleton label="Finding out what will be done" /> : null}
      {preview === null ? null : (
        <ul className="hd-preview" aria-label="What will be done">
          {preview.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {refused === null ? null : <ErrorNotice error={refused} />}
      {refusal === null ? null : <Notice look="waiting" title={refusal} />}
      {error === null ? null : <ErrorNotice error={error} />}
    </Dialog>
  );
}

interface Preview {
  /** Null while it is not known. */
  readonly preview: readonly string[] | null;
  /** Why it cannot be done. */
  readonly refused: unknown;
}

/** As it stood when it was asked: sentences that change while they are read are not read. */
function usePreview(control: ControlDialogProps['control'], runId: string, figures: RunFigures): Preview {
  const [first] = useState(figures);
  const cancel = useAnswer('previewCancel', { runId }, { enabled: control === 'cancel' });
  const retry = useAnswer('previewRetry', { runId }, { enabled: control === 'retry' });
  switch (control) {
    case 'pause':
      return { preview: pauseText(first), refused: null };
    case 'resume':
      return { preview: resumeText(first), refused: null };
    case 'cancel':
      return { preview: cancel.data === undefined ? null : cancelText(cancel.data), refused: cancel.error };
    case 'retry':
      return { preview: retry.data === undefined ? null : retryText(retry.data), refused: retry.error };
  }
}

interface Controlled {
  readonly run: () => void;
  readonly isRunning: boolean;
  readonly error: unknown;
  /** Why it changed nothing. */
  readonly refusal: string | null;
}

function useControl(
  control: ControlDialogProps['control'],
  { runId, onClose, onStarted }: Pick<ControlDialogProps, 'runId' | 'onClose' | 'onStarted'>,
): Controlled {
  const [refusal, setRefusal] = useState<string | null>(null);
  const options = {
    onDone: ({ applied, reason }: { readonly applied: boolean; readonly reason?: string }): void => {
      if (applied) onClose();
      else setRefusal(reason ?? 'It changed nothing');
    },
    changes: ['getRun', 'listRuns', 'countRuns', 'listPrompts'] as const,
  };
  const changes = {
    pause: useChange('pauseRun', options),
    resume: useChange('resumeRun', options),
    cancel: useChange('cancelRun', options),
    retry: useChange('retryRun', { ...options, onDone: ({ runId: next }) => onStarted(next) }),
  };
  const { run, isRunning, error } = changes[control];
  return { run: () => run({ runId }), isRunning, error, refusal };
}
