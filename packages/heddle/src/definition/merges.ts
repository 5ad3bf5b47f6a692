// Merges: what a join or a batch says of the values of its branches, with its defaults filled in. Rules MG13 to MG16.

import type { Compiler } from './compile-expressions.ts';
import type { BatchMergeDefinition, MergeDefinition, SiblingSynchronization } from './definition.ts';
import type { Merge } from './graph.ts';

/** The merges of a join, of which there may be one, several or none. */
export function listMerges({ merge = [] }: Pick<SiblingSynchronization, 'merge'>): readonly MergeDefinition[] {
  return isList(merge) ? merge : [merge];
}

function isList(merge: MergeDefinition | readonly MergeDefinition[]): merge is readonly MergeDefinition[] {
  return Array.isArray(merge);
}

export function compileMerge(merge: BatchMergeDefinition, compiler: Compiler): Merge {
  const { source, target = null, strategy, include = 'arrived' } = merge;
  // MG14: the merged value replaces what the target holds; objects of `output_merge` are laid over it.
  const { existing = strategy === 'output_merge' ? 'overlay' : 'replace' } = merge;
  // MG17: where failed branches contribute too, each contributes how it settled unless the author says what.
  const chosen = source ?? (include === 'settled' ? null : '_branch.output');
  const names = compiler.scopes.merging;
  return {
    source: chosen === null ? null : compiler.expression(chosen, names),
    target,
    strategy,
    existing,
    include,
  };
}
