// Moment slider: moves all views of a run over its journal: play, step, jump to the first failure, and back to what is live.
//
// Always true: the slider stands at how many moments have happened; its right end is now.

import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { durationText, exactText } from '../../parts/time-text.tsx';
import type { RunReading, RunSource } from '../run-source.ts';
import { sentenceOf } from './event-sentences.ts';
import { type MomentMark, marksOf, playStep } from './moment-marks.ts';
import { TokenNodes } from './token-nodes.ts';

export interface MomentSliderProps {
  readonly source: RunSource;
  readonly reading: RunReading;
  /** The node at which something failed first, when somebody jumps there. */
  readonly onFailure?: (node: string) => void;
}

const playEveryMs = 150;

export function MomentSlider({ source, reading, onFailure }: MomentSliderProps): ReactElement {
  const { length, moment, isLive } = reading;
  const failure = useFirstFailure(reading);
  const marks = useMemo(() => marksOf(reading.events), [reading.events]);
  const [isPlaying, setPlaying] = usePlaying(source, reading);
  const moveTo = (next: number): void => source.moveTo(Math.max(1, Math.min(length, next)));
  const jump = (): void => {
    if (failure === null) return;
    source.moveTo(failure.moment);
    if (failure.node !== null) onFailure?.(failure.node);
  };
  useKey('f', jump);
  return (
    <section className="hd-moment" aria-label="Moment">
      <div className="hd-moment-buttons">
        <Step
          label="One step back"
          path="M11 3v10L5 8zM3.5 3v10"
          disabled={moment <= 1}
          onClick={() => moveTo(moment - 1)}
        />
        <Step
          label={isPlaying ? 'Pause playing' : 'Play'}
          path={isPlaying ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4.5 3v10l8-5z'}
          disabled={length <= 1}
          onClick={() => setPlaying(!isPlaying)}
        />
        <Step
          label="One step forward"
          path="M5 3v10l6-5zM12.5 3v10"
          disabled={moment >= length}
          onClick={() => moveTo(moment + 1)}
        />
        <Button size="small" disabled={failure === null} title="Key: f" aria-keyshortcuts="f" onClick={jump}>
          First failure
        </Button>
      </div>
      <div className="hd-moment-track">
        <Marks marks={marks} length={length} onMove={moveTo} />
        <input
          type="range"
          className="hd-moment-range"
          aria-label="Moment"
          aria-valuetext={momentText(reading)}
          min={Math.min(1, length)}
          max={Math.max(1, length)}
          value={moment}
          onChange={({ currentTarget }) => moveTo(Number(currentTarget.value))}
        />
      </div>
      <Button size="small" aria-pressed={isLive} disabled={length === 0} onClick={() => source.moveTo('live')}>
        {reading.connection === 'closed' ? 'End' : 'Live'}
      </Button>
      <MomentText reading={reading} />
    </section>
  );
}

interface StepProps {
  readonly label: string;
  readonly path: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
}

const Step = ({ label, path, disabled, onClick }: StepProps): ReactElement => (
  <Button size="small" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={path} fill="currentColor" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  </Button>
);

interface MarksProps {
  readonly marks: readonly MomentMark[];
  readonly length: number;
  readonly onMove: (moment: number) => void;
}

const markWords = { failure: 'failure', prompt: 'prompt' } as const;

/** For pointers: by keys, the slider reaches every moment, and the journal lists them. */
function Marks({ marks, length, onMove }: MarksProps): ReactElement {
  return (
    <div className="hd-moment-marks" aria-hidden="true">
      {marks.map(({ kind, moment, count }) => (
        <button
          key={`${kind} ${moment}`}
          type="button"
          tabIndex={-1}
          className="hd-moment-mark"
          data-mark={kind}
          title={count === 1 ? `A ${markWords[kind]}` : `${count.toLocaleString('en')} ${markWords[kind]}s`}
          style={{ '--hd-place': length <= 1 ? 1 : (moment - 1) / (length - 1) }}
          onClick={() => onMove(moment)}
        />
      ))}
    </div>
  );
}

const momentText = ({ moment, length, isLarge }: RunReading): string =>
  `${isLarge ? 'Commit' : 'Event'} ${moment.toLocaleString('en')} of ${length.toLocaleString('en')}`;

/** Which moment it is, when it was, and what happened then. */
function MomentText({ reading }: { readonly reading: RunReading }): ReactElement {
  const { events, moment, figures } = reading;
  const event = events[moment - 1];
  const startedAt = events[0]?.at ?? reading.run?.createdAt ?? null;
  const at = event?.at ?? figures?.at ?? null;
  const nodes = useMemo(() => new TokenNodes(events), [events]);
  return (
    <p className="hd-moment-text">
      <span>{momentText(reading)}</span>
      {at === null ? null : (
        <time dateTime={new Date(at).toISOString()} title={exactText(at)}>
          {startedAt === null ? '' : `+${durationText(Math.max(0, at - startedAt))}`}
        </time>
      )}
      <span className="hd-moment-sentence">{event ? sentenceOf(event, nodes) : ''}</span>
    </p>
  );
}

interface FailureMoment {
  readonly moment: number;
  readonly node: string | null;
}

/** Of the whole run as far as it is known, whatever moment is shown. */
function useFirstFailure({ events, figures, isLarge }: RunReading): FailureMoment | null {
  const nodes = useMemo(() => new TokenNodes(events), [events]);
  const kept = useRef<FailureMoment | null>(null);
  const told = figures?.firstFailure ?? null;
  if (isLarge && told !== null) kept.current = { moment: Number.parseInt(told.eventId, 10), node: told.node };
  return useMemo(() => {
    if (isLarge) return kept.current;
    const index = events.findIndex(({ type }) => failures.has(type));
    const event = events[index];
    if (event === undefined) return null;
    const node = 'token' in event && event.token !== undefined ? nodes.nodeOf(event.token) : null;
    return { moment: index + 1, node };
  }, [events, nodes, isLarge, told]);
}

/** As the fold has it. */
const failures: ReadonlySet<string> = new Set([
  'task.attempt_failed',
  'task.failed',
  'workflow.failed',
  'workflow.timed_out',
]);

/** Moves on by itself until the end, from the beginning if it stands there. */
function usePlaying(source: RunSource, { moment, length }: RunReading): [boolean, (isPlaying: boolean) => void] {
  const [isPlaying, setPlaying] = useState(false);
  const latest = useRef({ moment, length });
  latest.current = { moment, length };
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setInterval(() => {
      const next = latest.current.moment + playStep(latest.current.length);
      if (next < latest.current.length) return source.moveTo(next);
      source.moveTo('live');
      setPlaying(false);
    }, playEveryMs);
    return () => clearInterval(timer);
  }, [isPlaying, source]);
  const play = (next: boolean): void => {
    if (next && moment >= length) source.moveTo(1);
    setPlaying(next);
  };
  return [isPlaying, play];
}

/** A single key, anywhere on the page but where somebody types. */
function useKey(key: string, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [key]);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== 'range';
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
