// Timeline axis: how long after the beginning, and where idle time was squeezed.

import type { ReactElement } from 'react';
import { durationText, exactText } from '../../parts/time-text.tsx';
import { pixelOf, type Viewport } from './timeline-rows.ts';

const tickDistance = 110;
/** As much as a written tick takes. */
const tickWidth = 64;
/** A squeezed stretch that is narrower than this is not written on. */
const writtenFrom = 44;

export function TimelineAxis({ viewport }: { readonly viewport: Viewport }): ReactElement {
  return (
    <div className="hd-timeline-axis" aria-hidden="true">
      {ticksOf(viewport).map(({ at, left }) => (
        <span key={left} className="hd-timeline-tick" style={{ left }} title={exactText(at)}>
          {at === viewport.scale.from ? '0' : `+${durationText(at - viewport.scale.from)}`}
        </span>
      ))}
      {gapsInView(viewport).map(({ from, to, left, width }) => (
        <span
          key={from}
          className="hd-timeline-gap"
          style={{ left, width }}
          title={`${durationText(to - from)} in which nothing worked`}
        >
          {width >= writtenFrom ? durationText(to - from) : ''}
        </span>
      ))}
    </div>
  );
}

interface Tick {
  readonly at: number;
  readonly left: number;
}

/** At even distances; where idle time stands, its length is written instead. */
function ticksOf(viewport: Viewport): readonly Tick[] {
  const { scale, window, width } = viewport;
  const gaps = gapsInView(viewport);
  const ticks = Array.from({ length: Math.ceil(width / tickDistance) }, (_, index): Tick => {
    const left = index * tickDistance;
    return { left, at: scale.timeAt(window.start + (left / width) * (window.end - window.start)) };
  });
  const isCovered = (left: number): boolean =>
    gaps.some((gap) => left + tickWidth > gap.left && left < gap.left + gap.width);
  return ticks.filter(({ left }) => left + tickWidth <= width && !isCovered(left));
}

interface GapInView {
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly width: number;
}

export function gapsInView(viewport: Viewport): readonly GapInView[] {
  return viewport.scale.gaps.flatMap(({ from, to }) => {
    const left = Math.max(0, pixelOf(viewport, from));
    const right = Math.min(viewport.width, pixelOf(viewport, to));
    return right <= left ? [] : [{ from, to, left, width: right - left }];
  });
}
