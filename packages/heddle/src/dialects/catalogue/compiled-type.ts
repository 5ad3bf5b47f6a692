// Compiled type: a node type of drawn graphs that is no work of its own: a function says which node, or which graph, each of
// its nodes becomes. It is called when a graph is checked or registered, and never again: what it said is stored.

import { given } from '../../base/given.ts';
import type { CatalogueEntry, CompileNode, NodeTypeFacts } from './entry.ts';
import { type InputPorts, listPorts, type OutputPorts, pickFacts, refuseType } from './given-type.ts';

export interface CompiledTypeSource extends NodeTypeFacts {
  readonly inputs?: InputPorts;
  readonly outputs?: OutputPorts;
  /** Given the same settings, it must answer the same. */
  readonly compile: CompileNode;
}

/** A node type whose nodes become others when a graph is registered. */
export function defineCompiledType(source: CompiledTypeSource): CompiledType {
  return new CompiledType(source);
}

export class CompiledType {
  readonly entry: CatalogueEntry;

  constructor(source: CompiledTypeSource) {
    refuseType(source, 'compile', ['version']);
    const { inputs, outputs, compile } = source;
    this.entry = {
      ...pickFacts(source),
      inputs: inputs && listPorts(inputs),
      outputs: outputs && listPorts(outputs),
      ...given({ compile }),
    };
  }
}
