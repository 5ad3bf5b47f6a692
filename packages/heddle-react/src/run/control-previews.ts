// ControlPreviews: what will be done to a run, said before it is done.

import { isTerminal, type RunStatus } from 'heddle/journal';
import type { AnswerOf } from 'heddle/wire';
import type { RunFigures } from './run-source.ts';

export type Control = 'pause' | 'resume' | 'cancel' | 'retry' | 'start again';

const retriable: ReadonlySet<RunStatus> = new Set(['failed', 'timed_out', 'exhausted']);

const scopes: Readonly<Record<Control, string>> = {
  pause: 'run:control',
  resume: 'run:control',
  cancel: 'run:control',
  retry: 'run:retry',
  'start again': 'run:start',
};

/** What can be done to a run of that status by whoever may. */
export function controlsFor(status: RunStatus, may: (scope: string) => boolean): readonly Control[] {
  const isOver = isTerminal(status);
  const possible: Readonly<Record<Control, boolean>> = {
    pause: !isOver && status !== 'paused',
    resume: status === 'paused',
    cancel: !isOver,
    retry: retriable.has(status),
    'start again': true,
  };
  return (['pause', 'resume', 'retry', 'start again', 'cancel'] as const).filter(
    (control) => possible[control] && may(scopes[control]),
  );
}

/** Of these the server knows what they come to, as it is now. */
export type CancelPreview = AnswerOf<'previewCancel'>;
export type RetryPreview = AnswerOf<'previewRetry'>;

/** What a pause comes to, one sentence each. */
export function pauseText(figures: RunFigures): readonly string[] {
  return [
    'Nothing more of the run is handed out until it is resumed.',
    ...activeNodes(figures).map((node) => `${node} is finished by whoever has it; what comes of it is held.`),
    ...(figures.timers.length > 0 ? ['Timers that are due meanwhile fire when it is resumed.'] : []),
  ];
}

export function resumeText(figures: RunFigures): readonly string[] {
  return [
    'What came while the run was paused has its turn, and it continues.',
    ...activeNodes(figures).map((node) => `${node} continues.`),
  ];
}

export function cancelText({ applies, ended, subRuns, openPrompts }: CancelPreview): readonly string[] {
  if (!applies) return ['The run has ended meanwhile, and stays as it is.'];
  return [
    ...ended
      .slice(0, listedMax)
      .map(({ nodeId, visits, begun }) => `${timesText(nodeId, visits)} ends${begunText(begun)}.`),
    ...moreText(ended.length),
    ...(subRuns > 0 ? [`${countText(subRuns, 'sub-run is', 'sub-runs are')} cancelled.`] : []),
    ...(openPrompts > 0 ? [`${countText(openPrompts, 'prompt', 'prompts')} can no longer be answered.`] : []),
    'The run ends as cancelled. That cannot be taken back.',
  ];
}

export function retryText({ isFromStart, again, waiting, kept }: RetryPreview): readonly string[] {
  const keptVisits = kept.reduce((sum, { visits }) => sum + visits, 0);
  return [
    isFromStart ? 'A new run begins at the first nodes.' : 'A new run continues from just before the failure.',
    ...again
      .slice(0, listedMax)
      .map(({ nodeId, visits, begun }) => `${timesText(nodeId, visits)} is executed again${twiceText(begun)}.`),
    ...moreText(again.length),
    ...waiting.slice(0, listedMax).map(({ nodeId, visits }) => `${timesText(nodeId, visits)} keeps waiting.`),
    ...(keptVisits > 0
      ? [`${countText(keptVisits, 'execution that was completed is', 'executions that were completed are')} kept.`]
      : []),
    'This run stays as it is.',
  ];
}

/** More than these are not read. */
const listedMax = 8;

function activeNodes({ nodes }: RunFigures): readonly string[] {
  const living = nodes.filter(({ active }) => active > 0);
  return living.slice(0, listedMax).map(({ nodeId, active }) => timesText(nodeId, active));
}

const timesText = (node: string, times: number): string =>
  times > 1 ? `${node} (${times.toLocaleString('en')} times)` : node;

const countText = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

const begunText = (begun: number): string =>
  begun > 0 ? `; ${countText(begun, 'task', 'tasks')} of it had begun, and what was done stays done` : '';

const twiceText = (begun: number): string =>
  begun > 0 ? `; ${countText(begun, 'task', 'tasks')} of it had begun, and may be done twice` : '';

const moreText = (count: number): readonly string[] =>
  count > listedMax ? [`So it is with ${count - listedMax} more nodes.`] : [];
