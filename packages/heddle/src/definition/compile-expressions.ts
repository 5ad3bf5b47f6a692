// Compile expressions: sources and targets of a checked definition become expressions and paths.

import { assert } from '../base/assert.ts';
import type { Path } from '../base/path.ts';
import { compileExpression } from '../expression/compile.ts';
import { conditionSource } from '../expression/condition.ts';
import type { Expression } from '../expression/expression.ts';
import type { Definition, MappingSource, TransitionDefinition } from './definition.ts';
import type { Edit, Mapping, Source } from './graph.ts';
import type { Limits } from './limits.ts';
import type { EditDefinition, SourceDefinition } from './lowered.ts';
import { makeScopes, type Scopes, widenScopes } from './scope.ts';
import { parseKeys, type Target } from './target.ts';

export class Compiler {
  readonly scopes: Scopes;
  readonly #limits: Limits;

  constructor({ transitions }: Pick<Definition, 'transitions'>, limits: Limits) {
    this.scopes = widenScopes(makeScopes(transitions ?? []));
    this.#limits = limits;
  }

  expression(source: string, names: ReadonlySet<string>): Expression {
    const compiled = compileExpression(source, { limits: this.#limits, names });
    assert('expression' in compiled, `Expected a checked expression, but "${source}" cannot be compiled`);
    return compiled.expression;
  }

  /** Null: there is none. */
  summary(source: string | undefined, names: ReadonlySet<string>): Expression | null {
    return source === undefined ? null : this.expression(source, names);
  }

  /** Null: always. */
  condition(condition: TransitionDefinition['condition']): Expression | null {
    if (condition === undefined || condition === true) return null;
    const made = condition === false ? { source: 'false' } : conditionSource(condition);
    assert('source' in made, `Expected a checked condition, but found ${JSON.stringify(condition)}`);
    return this.expression(made.source, this.scopes.editing);
  }

  inputMapping(source: MappingSource | undefined): Mapping | null {
    return this.#mapping(source, { names: this.scopes.reading, parseTarget: parseKeys });
  }

  outputMapping(source: MappingSource | undefined): Mapping | null {
    return this.#mapping(source, { names: this.scopes.routing, parseTarget: parseKeys });
  }

  finalMapping(source: MappingSource | undefined): Mapping | null {
    return this.#mapping(source, { names: this.scopes.reading, parseTarget: parseKeys });
  }

  edits(edits: readonly EditDefinition[] | undefined): readonly Edit[] | null {
    return edits === undefined ? null : edits.map((edit) => this.#edit(edit));
  }

  #edit(edit: EditDefinition): Edit {
    if ('delete' in edit) return { type: 'delete', path: edit.delete };
    if ('merge' in edit) return { type: 'merge', source: this.source(edit.merge) };
    return { type: 'set', path: edit.set, source: this.source(edit.to), isRequired: edit.required ?? false };
  }

  source(source: SourceDefinition): Source {
    if ('literal' in source) return { type: 'literal', value: source.literal };
    if ('path' in source) return { type: 'path', path: source.path };
    if ('expression' in source)
      return { type: 'expression', expression: this.expression(source.expression, this.scopes.editing) };
    if ('first' in source) return { type: 'first', of: source.first.map((one) => this.source(one)) };
    return { type: 'list', of: source.list.map((one) => this.source(one)) };
  }

  #mapping(
    source: MappingSource | undefined,
    { names, parseTarget }: { names: ReadonlySet<string>; parseTarget: (target: string) => Target },
  ): Mapping | null {
    if (source === undefined) return null;
    return Object.entries(source).map(([target, text]) => {
      return { target, path: parsePath(target, parseTarget), expression: this.expression(text, names) };
    });
  }
}

function parsePath(target: string, parseTarget: (target: string) => Target): Path {
  const parsed = parseTarget(target);
  assert('path' in parsed, `Expected a checked target, but found "${target}"`);
  return parsed.path;
}
