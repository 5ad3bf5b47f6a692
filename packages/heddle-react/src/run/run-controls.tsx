// RunControls: what can be done to a run, each with a look at what it comes to before it is done. Only what whoever looks
// may do is offered.

import { type ReactElement, useState } from 'react';
import { useChange, useMay } from '../connection/connection.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { type Control, controlsFor, previewOf } from './control-previews.ts';
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
  // As it stood when it was asked: sentences that change while they are read are not read.
  const [preview] = useState(() => previewOf(control, figures));
  return (
    <Dialog
      title={`${labels[control]} this run?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep things as they are</Button>
          <Button kind={control === 'cancel' ? 'danger' : 'primary'} disabled={isRunning} onClick={run}>
            {labels[control]}
          </Button>
        </>
      }
    >
      <ul className="hd-preview" aria-label="What will be done">
        {preview.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {refusal === null ? null : <Notice look="waiting" title={refusal} />}
      {error === null ? null : <ErrorNotice error={error} />}
    </Dialog>
  );
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
