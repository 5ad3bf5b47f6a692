// Draw thrown: what an action threw, for people: where, and what caused it.

import type { Thrown } from 'heddle';
import { printable, shortened } from './terminal.ts';

const linesMax = 8;
const lineLengthMax = 200;

/** The places, then the causes and the parts, each with its first place. */
export function drawThrown(thrown: Thrown): string[] {
  return [...placesOf(thrown, linesMax), ...drawBelow(thrown, '')];
}

function drawBelow({ cause, errors = [] }: Thrown, indent: string): string[] {
  const below = [...(cause === undefined ? [] : [cause]), ...errors];
  return below.flatMap((one) => [
    `${indent}${one === cause ? 'caused by' : 'part'} ${titleOf(one)}`,
    ...placesOf(one, 1).map((place) => `${indent}  ${place}`),
    ...drawBelow(one, `${indent}  `),
  ]);
}

function titleOf({ name, code, message = '' }: Thrown): string {
  const words = [name, code].filter((word) => word !== undefined).join(' ');
  return shortened(words === '' ? message : `${words}: ${message}`, lineLengthMax);
}

/** JavaScript's begin with "at"; of other stacks all lines are shown. */
function placesOf({ stack = '' }: Thrown, most: number): string[] {
  const lines = stack.split('\n').filter((line) => line.trim() !== '');
  const places = lines.filter((line) => /^\s+at /.test(line));
  return (places.length > 0 ? places : lines)
    .slice(0, most)
    .map((line) => shortened(printable(line.trim()), lineLengthMax));
}
