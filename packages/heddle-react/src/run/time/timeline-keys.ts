// Timeline keys: what each key does on the timeline.

export type TimelineStep =
  | { readonly type: 'row' | 'bar'; readonly by: number }
  | { readonly type: 'pan'; readonly share: number }
  | { readonly type: 'zoom'; readonly factor: number }
  | { readonly type: 'fit' | 'choose' };

const steps: Readonly<Record<string, TimelineStep>> = {
  ArrowDown: { type: 'row', by: 1 },
  ArrowUp: { type: 'row', by: -1 },
  PageDown: { type: 'row', by: 10 },
  PageUp: { type: 'row', by: -10 },
  Home: { type: 'row', by: Number.NEGATIVE_INFINITY },
  End: { type: 'row', by: Number.POSITIVE_INFINITY },
  ArrowRight: { type: 'bar', by: 1 },
  ArrowLeft: { type: 'bar', by: -1 },
  '+': { type: 'zoom', factor: 2 },
  '=': { type: 'zoom', factor: 2 },
  '-': { type: 'zoom', factor: 0.5 },
  '0': { type: 'fit' },
  Enter: { type: 'choose' },
  ' ': { type: 'choose' },
};

const shiftedSteps: Readonly<Record<string, TimelineStep>> = {
  ArrowRight: { type: 'pan', share: 0.25 },
  ArrowLeft: { type: 'pan', share: -0.25 },
};

export const stepOf = (key: string, isShifted: boolean): TimelineStep | null =>
  (isShifted ? shiftedSteps[key] : undefined) ?? steps[key] ?? null;

export const keysText =
  'Up and down: rows. Left and right: visits. Plus and minus: zoom, 0: all. Shift with left and right: pan. Enter: select or open.';

/** A place in a list, moved without leaving it. */
export const movedWithin = (count: number, at: number, by: number): number => Math.max(0, Math.min(count - 1, at + by));
