// Check discarded: what is written to the output of a run, although its own output mapping leaves it out. Rule DF70.

import { findReads, type MemberPath } from '../../expression/reads.ts';
import type { Reporter } from '../reporter.ts';
import type { Wiring } from '../wiring.ts';
import type { Flow } from './flow.ts';

// DF70: with an output mapping of the definition the output of a run is what that makes: an `output.…` that neither it
// nor anything else reads is written for nothing.
export function warnOfDiscarded(flow: Flow, { wiring, reporter }: { wiring: Wiring; reporter: Reporter }): void {
  const mentions = flow.reads.flatMap(({ source }) => findReads(source).mentions);
  const outputs = mentions.filter(({ root }) => root === 'output');
  // What a branch wrote to the output is in `_branch.output` too.
  const readsBranches = flow.entries.size > 0 || mentions.some(({ root }) => root === '_branch');
  if (readsBranches) return;
  for (const [number, { id, outputMapping = {} }] of wiring.nodes.entries()) {
    for (const target of Object.keys(outputMapping)) {
      const [section, ...keys] = target.split('.');
      if (section !== 'output' || outputs.some((read) => isRelated(read, keys))) continue;
      reporter.warning('OUTPUT_DISCARDED', reporter.origins.of(wiring.nodes[number]?.outputMapping ?? {}, target), {
        message: `Expected ${target} of node "${id}" to be read, since the definition has an output mapping, but nothing reads it: it is not in the output of a run`,
        hint: `Add it to the output mapping of the definition: "${keys.join('.')}": "${target}".`,
      });
    }
  }
}

function isRelated({ keys }: MemberPath, path: readonly string[]): boolean {
  return keys.every((key, index) => index >= path.length || String(key) === path[index]);
}
