// Times and durations as people read them: relative, with the exact time on hover; durations in two units.

import type { ReactElement } from 'react';
import { useNow } from './now.ts';

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `3 min 20 s`; below a second in milliseconds. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const at = units.findIndex(([, size]) => ms >= size);
  const [unit, size] = units[at] ?? units[3];
  const whole = Math.floor(ms / size);
  if (unit === 's') return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${whole} s`;
  const [nextUnit, nextSize] = units[at + 1] ?? units[3];
  const rest = Math.floor((ms % size) / nextSize);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${nextUnit}`;
}

export function DurationText({ ms }: { readonly ms: number }): ReactElement {
  return <span title={`${ms.toLocaleString('en')} ms`}>{durationText(ms)}</span>;
}

export function relativeText(at: number, asOf: number): string {
  const ms = asOf - at;
  if (Math.abs(ms) < 1_000) return 'now';
  const [unit, size] = units.find(([, each]) => Math.abs(ms) >= each) ?? units[3];
  const text = `${Math.floor(Math.abs(ms) / size)} ${unit}`;
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

/** From a time to another; null: to now. */
export function LastingText({ from, to }: { readonly from: number; readonly to: number | null }): ReactElement {
  return to === null ? <UntilNow from={from} /> : <DurationText ms={Math.max(0, to - from)} />;
}

const UntilNow = ({ from }: { readonly from: number }): ReactElement => (
  <DurationText ms={Math.max(0, useNow() - from)} />
);

export const exactText = (at: number): string => new Date(at).toLocaleString();

export function TimeText({ at }: { readonly at: number }): ReactElement {
  const text = relativeText(at, useNow());
  return (
    <time dateTime={new Date(at).toISOString()} title={exactText(at)}>
      {text}
    </time>
  );
}
