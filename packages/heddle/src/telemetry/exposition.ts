// Exposition: figures as text, in the format of Prometheus 0.0.4. Rule MT1.

import { keysIn } from '../base/keys-in.ts';
import type { Histogram } from './counts.ts';
import { type FamilyName, families } from './families.ts';

export type Labels = Readonly<Record<string, string>>;

export class Exposition {
  readonly #lines = new Map<FamilyName, string[]>();

  add(name: FamilyName, labels: Labels, value: number): void {
    this.#writeLines(name).push(`${name}${written(labels)} ${writtenValue(value)}`);
  }

  addHistogram(name: FamilyName, labels: Labels, histogram: Histogram): void {
    const lines = this.#writeLines(name);
    for (const [le, count] of histogram.buckets()) lines.push(`${name}_bucket${written({ ...labels, le })} ${count}`);
    lines.push(`${name}_sum${written(labels)} ${writtenValue(histogram.sumSeconds)}`);
    lines.push(`${name}_count${written(labels)} ${histogram.count}`);
  }

  /** MT1: each family once, with its help and its type, in the order of the table; all its samples together. */
  text(): string {
    return keysIn(families)
      .flatMap((name) => {
        const lines = this.#lines.get(name);
        if (lines === undefined) return [];
        const { help, type } = families[name];
        return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines];
      })
      .map((line) => `${line}\n`)
      .join('');
  }

  #writeLines(name: FamilyName): string[] {
    const lines = this.#lines.get(name) ?? [];
    this.#lines.set(name, lines);
    return lines;
  }
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

function writtenValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
