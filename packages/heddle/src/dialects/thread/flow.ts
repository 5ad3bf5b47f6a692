// Thread flow: what a thread definition reads from its context and writes to it, and where. Rule DF88.

import {
  type Flow,
  type InputSite,
  type ReadSite,
  type Result,
  sourceOfPath,
  type ValueSource,
  type Write,
} from '../../definition/flow/flow.ts';
import { type KnownWork, schemasOf, type Work } from '../../definition/flow/known-schemas.ts';
import { type Outline, outlineAt, readOutline } from '../../definition/flow/outline.ts';
import { anything, workResult } from '../../definition/flow/results.ts';
import type { Reporter } from '../../definition/reporter.ts';
import type { Wiring } from '../../definition/wiring.ts';
import { conditionSource } from '../../expression/condition.ts';
import { type Form, findReads } from '../../expression/reads.ts';
import {
  type EditNode,
  type InitialEntry,
  isBlank,
  type StartNode,
  type SwitchNode,
  type ThreadDefinition,
  type ThreadMapping,
  type ThreadNode,
} from './thread.ts';

interface Parts {
  readonly definition: ThreadDefinition;
  readonly wiring: Wiring;
  readonly reporter: Reporter;
  readonly known: KnownWork;
}

// DF88: the context holds what the start, edits, code, results and answers wrote on a way to the read; behind a fan-in or
// a batch, of what its branches wrote, `output` alone.
export function threadFlow({ definition, wiring, reporter, known }: Parts): Flow {
  const input: Outline = definition.inputSchema === undefined ? 'any' : readOutline(definition.inputSchema);
  const made = definition.nodes.map((node, number) => new NodeFlow(node, { number, input, wiring, reporter }).make());
  const joined = wiring.wires.flatMap(({ join, to }) => (join === null ? [] : [to]));
  return {
    reads: made.flatMap(({ reads }) => reads),
    inputs: definition.nodes.flatMap((node) => inputsOf(node, { known, reporter })),
    exits: new Map(made.map(({ writes }, number) => [number, writes])),
    entries: new Map(joined.map((node) => [node, [merged]])),
    results: (number) => resultOf(definition.nodes[number], known),
    input,
    keepHint: 'Of what a branch writes only "output" is kept by its fan-in.',
    keepsUnjoined: true,
    mayRunLate: false,
  };
}

const merged: Write = { path: ['state', 'output'], value: { outline: 'any' } };

function workOf(node: ThreadNode | undefined): Work | null {
  if (node?.type === 'action') return { action: node.action };
  if (node?.type !== 'gosub') return null;
  const { workflow: id, version } = node;
  return { workflow: version === undefined ? { id } : { id, version } };
}

function resultOf(node: ThreadNode | undefined, known: KnownWork): Result {
  const work = workOf(node);
  return work === null ? anything : workResult(work, known);
}

/** Without `inputs` it is the whole context, of which nothing is known. */
function inputsOf(node: ThreadNode, { known, reporter: { origins } }: Pick<Parts, 'known' | 'reporter'>): InputSite[] {
  const work = workOf(node);
  if (work === null || !('inputs' in node) || node.inputs === undefined) return [];
  const { of = '', input: schema } = schemasOf(work, known) ?? {};
  if (schema === undefined) return [];
  const entries = node.inputs.map((mapping) => ({
    keys: mapping.to.split('.'),
    form: formOf(mapping),
    pointer: origins.of(mapping, mapping.expression === undefined ? 'to' : 'expression'),
  }));
  return [{ schema, of, entries, pointer: origins.of(node, 'inputs'), who: `the inputs of node "${node.id}"` }];
}

function formOf({ expression, value }: ThreadMapping): Form {
  if (expression !== undefined) return findReads(expression).form;
  const isScalar = value !== undefined && (value === null || typeof value !== 'object');
  return isScalar ? { type: 'scalar', value } : { type: 'unknown' };
}

interface Place {
  readonly number: number;
  readonly input: Outline;
  readonly wiring: Wiring;
  readonly reporter: Reporter;
}

/** Goes through what one node does, in order: what it has written so far can be read. */
class NodeFlow {
  readonly #node: ThreadNode;
  readonly #place: Place;
  readonly #reads: ReadSite[] = [];
  readonly #writes: Write[] = [];

  constructor(node: ThreadNode, place: Place) {
    this.#node = node;
    this.#place = place;
  }

  make(): { readonly reads: readonly ReadSite[]; readonly writes: readonly Write[] } {
    this.#follow(this.#node);
    return { reads: this.#reads, writes: this.#writes };
  }

  #follow(node: ThreadNode): void {
    switch (node.type) {
      case 'start':
        return this.#start(node);
      case 'end':
        for (const mapping of node.mappings ?? []) this.#source(mapping, 'context');
        return;
      case 'edit':
        return this.#edit(node);
      case 'switch':
        return this.#switch(node);
      case 'action':
        return this.#work(node, ['output']);
      case 'gosub':
        return this.#work(node, []);
      case 'code': {
        const assignments = node.set ?? [{ ...node, path: node.path ?? 'output' }];
        for (const [index, { path, expression = '' }] of assignments.entries())
          this.#assign(path, this.#expression(node.set?.[index] ?? node, expression));
        return;
      }
      case 'batch': {
        const isWorked = (this.#place.wiring.outgoing[this.#place.number] ?? []).some(isForSlices);
        if (!isWorked) return;
        this.#path(node, 'items', ['context', ...node.items.split('.')]);
        this.#writes.push(merged);
        return;
      }
      case 'input':
        return this.#write([], { outline: node.schema === undefined ? 'any' : readOutline(node.schema) });
      case 'fanOut':
      case 'fanIn':
        return;
    }
  }

  #start({ initialize }: StartNode): void {
    const { input } = this.#place;
    if (initialize === undefined) return this.#write([], { outline: input });
    for (const entry of initialize) this.#assign(entry.path, this.#entry(entry));
  }

  #entry(entry: InitialEntry): ValueSource {
    const keys = entry.path.split('.');
    if (entry.expression !== undefined) this.#expression(entry, entry.expression);
    const isMandatory = entry.optional !== true && entry.default === undefined && entry.expression === undefined;
    if (isMandatory) this.#path(entry, 'path', ['input', ...keys]);
    const isGiven = isMandatory || (entry.default === undefined && entry.expression === undefined);
    return { outline: (isGiven ? outlineAt(this.#place.input, keys) : null) ?? 'any' };
  }

  #edit({ upserts = [] }: EditNode): void {
    for (const upsert of upserts) {
      const { path, expression } = upsert;
      this.#assign(path, expression === undefined ? { outline: 'any' } : this.#expression(upsert, expression));
    }
  }

  /** The last entry is taken if no other is: what it says is not looked at. */
  #switch({ entries }: SwitchNode): void {
    for (const entry of entries.slice(0, -1)) {
      if (isBlank(entry)) continue;
      const made = conditionSource(entry.expression ?? '');
      if ('source' in made) this.#expression(entry, made.source);
    }
  }

  /** `whole`: where the result is written if nothing is said of it; nowhere in particular if it is merged. */
  #work(
    {
      inputs = [],
      outputs,
    }: { readonly inputs?: readonly ThreadMapping[]; readonly outputs?: readonly ThreadMapping[] },
    whole: readonly string[],
  ): void {
    for (const mapping of inputs) this.#source(mapping, 'context');
    const result: ValueSource = {
      form: { type: 'path', path: { root: 'result', keys: [] } },
      node: this.#place.number,
    };
    if (outputs === undefined) return this.#write(whole, result);
    for (const mapping of outputs) this.#assign(mapping.to, this.#source(mapping, 'result'));
  }

  #source(mapping: ThreadMapping, root: 'context' | 'result'): ValueSource {
    const { from, expression, optional } = mapping;
    if (expression !== undefined) return this.#expression(mapping, expression, optional);
    return from === undefined ? { outline: 'any' } : this.#path(mapping, 'from', [root, ...from.split('.')], optional);
  }

  #path(owner: object, field: string, [root = '', ...keys]: readonly string[], isOptional = false): ValueSource {
    const source = sourceOfPath(root, keys);
    if (!isOptional) this.#read(owner, { field, source, guardHint: optionalHint });
    return { form: findReads(source).form, node: this.#place.number };
  }

  #expression(owner: object, source: string, isOptional = false): ValueSource {
    if (!isOptional) this.#read(owner, { field: 'expression', source });
    return { form: findReads(source).form, node: this.#place.number };
  }

  #read(owner: object, { field, ...read }: Pick<ReadSite, 'source' | 'guardHint'> & { readonly field: string }): void {
    this.#reads.push({
      ...read,
      node: this.#place.number,
      ownCount: this.#writes.length,
      hasResult: true,
      isOfBranch: false,
      isTolerant: false,
      pointer: this.#place.reporter.origins.of(owner, field),
      who: `node "${this.#node.id}"`,
    });
  }

  #assign(path: string, value: ValueSource): void {
    this.#write(path.split('.'), value);
  }

  #write(keys: readonly string[], value: ValueSource): void {
    this.#writes.push({ path: ['state', ...keys], value });
  }
}

const isForSlices = ({ transition }: Wiring['wires'][number]): boolean => transition.on === 'slice';

const optionalHint = 'If it may be absent, write "optional": true.';
