// Chart: lines over time, drawn by uPlot, which is loaded when the first one is shown. The same figures are there as a table.

import { durationText } from 'heddle-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { useTheme } from '../theme.ts';
import 'uplot/dist/uPlot.min.css';

export interface Line {
  readonly label: string;
  /** The name of a colour of the theme. */
  readonly colour: '--hd-active' | '--hd-done' | '--hd-failed' | '--hd-muted' | '--hd-waiting';
  readonly values: readonly (number | null)[];
  /** Lines that are told apart by more than their colour. */
  readonly dash?: readonly number[];
}

export interface ChartProps {
  readonly title: string;
  /** Beginnings of the buckets, in milliseconds. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly unit: 'runs' | 'ms';
}

const heightPx = 180;

export function Chart(props: ChartProps): ReactElement {
  const { title, times, lines, unit } = props;
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const isDark = useSystemDark();
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let plot: uPlot | null = null;
    let isGone = false;
    const width = (): number => Math.max(200, element.clientWidth);
    const observer = new ResizeObserver(() => plot?.setSize({ width: width(), height: heightPx }));
    void import('uplot').then(({ default: Plot }) => {
      if (isGone) return;
      plot = new Plot(optionsOf(element, props, width()), dataOf({ times, lines }), element);
      observer.observe(element);
    });
    return () => {
      isGone = true;
      observer.disconnect();
      plot?.destroy();
    };
    // Drawn anew with other figures, and with the colours of another theme.
  }, [props, times, lines, theme, isDark]);
  return (
    <figure className="app-chart">
      <figcaption>
        <h2>{title}</h2>
        <ul className="app-legend">
          {lines.map(({ label, colour, dash }) => (
            <li key={label}>
              <span data-dashed={dash !== undefined} style={{ borderColor: `var(${colour})` }} aria-hidden="true" />
              {label}
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={box} className="app-chart-box" role="img" aria-label={`${title}: the figures are in the table below`} />
      <details>
        <summary>{title} as a table</summary>
        <ChartTable title={title} times={times} lines={lines} unit={unit} />
      </details>
    </figure>
  );
}

function ChartTable({ title, times, lines, unit }: ChartProps): ReactElement {
  const rows = times.map((at, place) => ({ at, values: lines.map(({ values }) => values[place] ?? null) }));
  const texts = new Map(momentTexts(times).map((text, place) => [times[place], text]));
  const told = rows.filter(({ values }) => values.some((value) => value !== null && value !== 0));
  return (
    <table className="app-figures" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">From</th>
          {lines.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {told.map(({ at, values }) => (
          <tr key={at}>
            <th scope="row">{texts.get(at)}</th>
            {lines.map(({ label }, place) => (
              <td key={label}>{figureText(values[place] ?? null, unit)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const dayMs = 86_400_000;

/** By the hour within a day, and with the day beyond that, as people write it where they are. */
function momentTexts(times: readonly number[]): string[] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const options: Intl.DateTimeFormatOptions =
    last - first <= dayMs
      ? { hour: 'numeric', minute: '2-digit' }
      : { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' };
  const format = new Intl.DateTimeFormat(undefined, options);
  return times.map((at) => format.format(at));
}

const figureText = (value: number | null, unit: ChartProps['unit']): string =>
  value === null ? '–' : unit === 'ms' ? durationText(value) : value.toLocaleString('en');

const dataOf = ({ times, lines }: Pick<ChartProps, 'times' | 'lines'>): uPlot.AlignedData => [
  times.map((at) => at / 1_000),
  ...lines.map(({ values }) => [...values]),
];

function optionsOf(element: HTMLElement, { lines, unit }: ChartProps, width: number): uPlot.Options {
  const text = colourOf(element, '--hd-muted');
  const grid = { stroke: colourOf(element, '--hd-line'), width: 1 };
  const axis = { stroke: text, grid, ticks: grid, font: '12px system-ui' };
  return {
    width,
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
    axes: [
      { ...axis, space: 80, values: (_, splits) => momentTexts(splits.map((at) => at * 1_000)) },
      {
        ...axis,
        size: unit === 'ms' ? 72 : 40,
        values: (_, values) =>
          values.map((value) => (Number.isInteger(value) || unit === 'ms' ? figureText(value, unit) : '')),
      },
    ],
    scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] } },
    series: [
      {},
      ...lines.map(({ label, colour, dash }) => ({
        label,
        stroke: colourOf(element, colour),
        width: 2,
        spanGaps: false,
        points: { show: unit === 'ms', size: 5 },
        ...(dash === undefined ? {} : { dash: [...dash] }),
      })),
    ],
  };
}

/** A canvas knows no variables of CSS: the colour is asked of an element that has it. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = element.appendChild(document.createElement('span'));
  probe.style.color = `var(${name})`;
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

function useSystemDark(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const onChange = (): void => setDark(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return isDark;
}
