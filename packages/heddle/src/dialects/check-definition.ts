// Check definition: what is wrong with a definition, told where there is no engine, such as an editor in a browser. What an
// engine has said of its node types and actions is given as data.

import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import { actionHint } from '../definition/built-in-actions.ts';
import type { JsonSchema } from '../definition/definition.ts';
import { defaultLimits } from '../definition/limits.ts';
import type { NodeTypeInfo } from './catalogue/describe.ts';
import type { Catalogue, CatalogueEntry } from './catalogue/entry.ts';
import { lowerDefinition, type NormalDefinition } from './dialect.ts';
import { type Parsed, parseDefinition } from './parse.ts';

/** An action as an engine lists it. */
export interface ListedAction {
  readonly name: string;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  /** Of one that is a node type too. */
  readonly ports?: unknown;
  readonly catalogue?: unknown;
}

export interface ListedWork {
  /** As `listNodeTypes` answers. */
  readonly nodeTypes: readonly NodeTypeInfo[];
  /** As `listActions` answers. */
  readonly actions: readonly ListedAction[];
}

/** CT7: checked as the engine does that listed them, but for types that compile, which only it knows. */
export function checkDefinition(source: unknown, { nodeTypes, actions }: ListedWork): Parsed {
  const byName = new Map(actions.map((action) => [action.name, action]));
  const parsed = parseDefinition(source, {
    limits: defaultLimits,
    nodeTypes: catalogueOf(nodeTypes, byName),
    isWork: (type) => byName.has(type),
    schemas: (name) => byName.get(name),
  });
  if (parsed.definition === null) return parsed;
  const known = [...byName.keys(), ...nodeTypes.map(({ type }) => type)];
  const missing = warnOfMissingActions(parsed.definition, { known, source: parsed.source });
  return { ...parsed, problems: [...parsed.problems, ...missing] };
}

/** Of a plain action the engine has no entry: its schemas say what it takes. */
function catalogueOf(nodeTypes: readonly NodeTypeInfo[], actions: ReadonlyMap<string, ListedAction>): Catalogue {
  const isPlain = (type: string): boolean => {
    const action = actions.get(type);
    return action !== undefined && action.ports === undefined && action.catalogue === undefined;
  };
  const listed = nodeTypes.filter(({ source, type }) => source !== 'core' && !isPlain(type));
  return Object.fromEntries(
    listed.map(({ type, source: _, isContainer: __, inputs, outputs, ...facts }): [string, CatalogueEntry] => [
      type,
      { ...facts, inputs, outputs },
    ]),
  );
}

/** DV7: an action that nobody has is worth a warning, where none can be loaded later: it may come with the next process. */
export function warnOfMissingActions(
  definition: NormalDefinition,
  { known, source }: { known: readonly string[]; source: Json | undefined },
): Problem[] {
  const names = new Set(known);
  // As the author wrote them: what is only drawn is not in the definition.
  const { nodes } = source as unknown as { readonly nodes: readonly { readonly id: string }[] };
  const places = new Map(nodes.map((node, index) => [node.id, { node, index }]));
  return lowerDefinition(definition).nodes.flatMap(({ id, action }): Problem[] => {
    const name = typeof action === 'object' ? action.name : action;
    const place = places.get(id);
    if (name === undefined || names.has(name) || !place) return [];
    const hint = actionHint(name, known);
    return [
      {
        severity: 'warning',
        code: 'ACTION_NOT_REGISTERED',
        pointer: `/nodes/${place.index}/${'action' in place.node ? 'action' : 'type'}`,
        message: `Expected an action named "${name}" for node "${id}", but this engine has none`,
        ...given({ hint }),
      },
    ];
  });
}
