// TrialBar: starts, steps, plays and pauses a trial, and says where it stands in words.

import type { ReactElement } from 'react';
import { Button } from '../../parts/button.tsx';
import { RunStatusMark } from '../../parts/status-mark.tsx';
import { durationText, exactText } from '../../parts/time-text.tsx';
import { canStep, type TrialSession, type TrialState } from './session.ts';
import type { TrialView } from './trial-view.ts';

export interface TrialBarProps {
  readonly state: TrialState;
  readonly session: TrialSession;
  /** Why it cannot be started; null if it can. */
  readonly refusal: string | null;
  readonly onStart: () => void;
}

export function TrialBar({ state, session, refusal, onStart }: TrialBarProps): ReactElement {
  const { phase, view } = state;
  const isBusy = phase === 'busy';
  const mayStep = phase === 'resting' && view !== null && view.next.type !== 'person' && view.next.type !== 'none';
  return (
    <div className="hd-trial-bar" role="toolbar" aria-label="Trial">
      <Button kind="primary" disabled={isBusy || refusal !== null} onClick={onStart}>
        {view === null ? 'Start' : 'Start again'}
      </Button>
      <Button disabled={!mayStep} onClick={() => void session.step()}>
        Step
      </Button>
      {phase === 'playing' && canStep(view) ? (
        <Button onClick={() => session.pause()}>Pause</Button>
      ) : (
        <Button disabled={!mayStep} onClick={() => void session.play()}>
          Continue
        </Button>
      )}
      <span role="status" className="hd-trial-status">
        {refusal ??
          (view === null ? 'Nothing is called and nothing is sent: outcomes are pinned.' : <Standing view={view} />)}
      </span>
    </div>
  );
}

function Standing({ view }: { readonly view: TrialView }): ReactElement {
  return (
    <>
      <RunStatusMark status={view.status} />
      <span>{sentenceOf(view)}</span>
      <time dateTime={new Date(view.now).toISOString()}>{exactText(view.now)}</time>
    </>
  );
}

function sentenceOf({ next, now, isHalted, callCount }: TrialView): string {
  const more = callCount > 1 ? ` (${callCount} tasks wait)` : '';
  switch (next.type) {
    case 'call':
      return `${isHalted ? 'Halted' : 'Next'}: ${next.nodeId ?? ''} is answered${more}`;
    case 'prompt':
    case 'event':
      return `Next: ${next.nodeId ?? ''} gets what is pinned`;
    case 'time':
      return next.at === undefined ? 'Next: time passes' : `Next: ${durationText(next.at - now)} pass`;
    case 'person':
      return 'Waits for you';
    case 'none':
      return 'Nothing is left to do';
  }
}
