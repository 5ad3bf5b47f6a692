// Node icons: what a node does, as a shape. Beside it always stands the word.

import type { ReactElement } from 'react';
import type { NodeIcon as IconName } from '../model/adapter.ts';

/** Drawn in a box of 16, in lines. */
const paths: Readonly<Record<IconName, string>> = {
  step: 'M3 4h10v8H3z M6 8h4',
  point: 'M8 3l5 5-5 5-5-5z',
  prompt: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z M3 14c.5-3 2.5-4 5-4s4.500 1 5 4',
  wait: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z M8 5v3l2 2',
  event: 'M4 11V7a4 4 0 0 1 8 0v4l1 1H3z M7 14h2',
  workflow: 'M2 3h5v4H2z M9 9h5v4H9z M4.500 7v4H9',
  batch: 'M2 6l6-3 6 3-6 3z M2 9.500l6 3 6-3',
  start: 'M5 3l7 5-7 5z',
  end: 'M4 14V3h8l-2 2.500 2 2.500H4',
  switch: 'M8 14V9 M8 9L3 3 M8 9l5-6',
  'fan-out': 'M8 14V9 M8 9L3 4 M8 9V3 M8 9l5-5',
  join: 'M8 14V8 M8 8L3 3 M8 8V2 M8 8l5-5 M5 11l3 3 3-3',
  edit: 'M3 13l1-3 7-7 2 2-7 7z',
  note: 'M3 2h7l3 3v9H3z M10 2v3h3',
};

export function NodeIcon({ icon }: { readonly icon: IconName }): ReactElement {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[icon]} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
