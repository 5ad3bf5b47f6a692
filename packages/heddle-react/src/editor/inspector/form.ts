// Form: a part of a definition as its form sees it: how fields are read and written, and what is known beside them.

import type { Json, JsonObject } from 'heddle';
import type { Editor } from '../editor-context.ts';
import { type ExpressionScope, plainScope } from '../expression/scope.ts';
import { type DraftDefinition, type KnownActions, tokenScope } from '../expression/token-scope.ts';
import { isObject, objectsIn, type Place, textOf, writeAt } from '../model/places.ts';
import { isAtField, type PlacedProblem } from '../model/problem-place.ts';
import type { ExpressionSite } from './form-fields.ts';

export interface Form {
  readonly value: JsonObject;
  readonly write: (place: Place, value: Json | undefined) => void;
  readonly problemsAt: (place: Place) => readonly PlacedProblem[];
  readonly scopeOf: (site: ExpressionSite) => ExpressionScope;
  readonly offers: (what: 'actions' | 'workflows' | 'nodes' | 'groups') => readonly string[];
  /** Names of fields that the action of the node takes, with those that it requires. */
  readonly actionInput: { readonly names: readonly string[]; readonly required: readonly string[] };
  readonly workflow: string;
  readonly nodeId: string | undefined;
}

/** Without one of these a node would be of another kind: it stays, though it is empty. */
const kindFields = new Set(['input', 'wait', 'batch', 'workflow', 'data']);

export function writeField(part: JsonObject, place: Place, value: Json | undefined): JsonObject {
  const written = writeAt(part, place, value);
  const [first] = place;
  const object: JsonObject = isObject(written) ? written : {};
  const isLost = place.length > 1 && kindFields.has(String(first)) && !Object.hasOwn(object, String(first));
  return isLost ? { ...object, [String(first)]: {} } : object;
}

interface PartOfForm {
  readonly value: JsonObject;
  readonly problems: readonly PlacedProblem[];
  /** The node whose data expressions of the part read. */
  readonly nodeId: string | undefined;
  readonly onWrite: Form['write'];
}

export function makeForm(editor: Editor, { value, problems, nodeId, onWrite }: PartOfForm): Form {
  const { definition, known, adapter, workflow, graph } = editor;
  const actions: KnownActions = Object.fromEntries(known.actions.map((action) => [action.name, action]));
  return {
    value,
    workflow,
    nodeId,
    write: onWrite,
    problemsAt: (place) => problems.filter((problem) => isAtField(problem.place, place)),
    scopeOf: (site) => {
      if (adapter.dialect === 'thread')
        return plainScope(['context', 'input', 'result', '_branch', '_batch', '_trigger']);
      if (adapter.dialect !== 'token') return plainScope(['input', 'nodes', 'item', '_trigger']);
      const draft = definition as unknown as DraftDefinition; // it looks at each part that it reads
      if (site === 'summary') return tokenScope(draft, { type: site, nodeId: nodeId ?? null }, actions);
      return tokenScope(
        draft,
        site === 'output' || nodeId === undefined ? { type: 'output' } : { type: site, nodeId },
        actions,
      );
    },
    offers: (what) => {
      if (what === 'actions') return known.actions.map(({ name }) => name);
      if (what === 'workflows') return known.workflows;
      if (what === 'nodes') return graph.nodes.map(({ id }) => id);
      const groups = objectsIn(definition['transitions']).map(({ siblingGroup }) => textOf(siblingGroup));
      return [...new Set(groups.filter((name) => name !== ''))];
    },
    actionInput: inputOf(value, actions),
  };
}

function inputOf({ action }: JsonObject, actions: KnownActions): Form['actionInput'] {
  const name = typeof action === 'string' ? action : '';
  const schema = Object.hasOwn(actions, name) ? actions[name]?.input : undefined;
  if (typeof schema !== 'object') return { names: [], required: [] };
  const { properties = {}, required = [] } = schema;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return { names, required: Array.isArray(required) ? required.map(textOf) : [] };
}
