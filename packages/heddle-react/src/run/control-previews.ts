// ControlPreviews: what will be done to a run, said before it is done.

import { isTerminal, type RunStatus } from 'heddle/journal';
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

/** What it comes to, one sentence each. */
export function previewOf(control: Exclude<Control, 'start again'>, figures: RunFigures): readonly string[] {
  return previews[control](figures);
}

const previews: Readonly<Record<Exclude<Control, 'start again'>, (figures: RunFigures) => readonly string[]>> = {
  pause: (figures) => [
    'Nothing more of the run is handed out until it is resumed.',
    ...activeNodes(figures).map((node) => `${node} is finished by whoever has it; what comes of it is held.`),
    ...timersText(figures, 'Timers that are due meanwhile fire when it is resumed.'),
  ],
  resume: (figures) => [
    'What came while the run was paused has its turn, and it continues.',
    ...activeNodes(figures).map((node) => `${node} continues.`),
  ],
  cancel: (figures) => [
    ...activeNodes(figures).map((node) => `${node} is called off; what it has done already stays done.`),
    ...figures.subruns
      .slice(0, listedMax)
      .map(({ node, childRunId }) => `The sub-run ${childRunId} of ${node} is cancelled.`),
    ...figures.prompts
      .slice(0, listedMax)
      .map(
        ({ node, title }) => `The prompt ${title === null ? '' : `"${title}" `}of ${node} can no longer be answered.`,
      ),
    'The run ends as cancelled. That cannot be taken back.',
  ],
  retry: (figures) => [
    'A new run continues from just before the failure.',
    ...failedNodes(figures).map((node) => `${node} is executed again.`),
    keptText(figures),
    ...activeNodes(figures).map((node) => `${node} had begun, and may be done twice.`),
  ],
};

/** More than these are not read. */
const listedMax = 8;

function activeNodes({ nodes }: RunFigures): readonly string[] {
  const living = nodes.filter(({ active }) => active > 0);
  return living.slice(0, listedMax).map(({ nodeId, active }) => timesText(nodeId, active));
}

function failedNodes({ nodes, error }: RunFigures): readonly string[] {
  const failed = nodes.filter(({ nodeId, status }) => status === 'failed' || nodeId === error?.nodeId);
  return failed.slice(0, listedMax).map(({ nodeId, failed: count }) => timesText(nodeId, count));
}

function keptText({ nodes }: RunFigures): string {
  const kept = nodes.reduce((sum, { completed }) => sum + completed, 0);
  return kept === 1
    ? 'One execution that was completed is kept, and not done again.'
    : `${kept.toLocaleString('en')} executions that were completed are kept, and not done again.`;
}

const timesText = (node: string, times: number): string =>
  times > 1 ? `${node} (${times.toLocaleString('en')} times)` : node;

const timersText = ({ timers }: RunFigures, text: string): readonly string[] => (timers.length > 0 ? [text] : []);
