// Editor state: the document with its history, and what is selected in it. A pure reducer: every change of a definition goes
// through it, and can therefore be undone.

import type { JsonObject } from 'heddle';
import type { DrawnGraph } from './model/graph.ts';
import { change, type Document, type History, newHistory, pause, redo, undo } from './model/history.ts';
import type { Place } from './model/places.ts';

export interface Selection {
  readonly nodes: readonly string[];
  /** By their keys. */
  readonly edges: readonly string[];
}

export const nothingSelected: Selection = { nodes: [], edges: [] };

/** What is selected and there: undoing may have taken some of it away. */
export function presentIn({ nodes, edges }: DrawnGraph, selection: Selection): Selection {
  const nodeIds = new Set(nodes.map(({ id }) => id));
  const edgeKeys = new Set(edges.map(({ key }) => key));
  return {
    nodes: selection.nodes.filter((id) => nodeIds.has(id)),
    edges: selection.edges.filter((key) => edgeKeys.has(key)),
  };
}

/** A field of what is selected that the inspector brings into view. */
export interface FieldToShow {
  readonly place: Place;
  /** Another number asks again, also for the same field. */
  readonly asked: number;
}

export interface EditorState {
  readonly history: History;
  readonly selection: Selection;
  readonly fieldToShow: FieldToShow | null;
  /** What was done, or why something was not: for the status line and screen readers. */
  readonly notice: string;
}

export type EditorAction =
  | {
      readonly type: 'edit';
      readonly label: string;
      readonly change: (definition: JsonObject) => JsonObject;
      /** Of changes that are one step if they follow one another. */
      readonly key?: string | undefined;
      readonly select?: Selection | undefined;
    }
  /** JSON is typed: text that parses is the definition. */
  | { readonly type: 'type'; readonly text: string; readonly definition: JsonObject | null }
  /** Another document takes the place of this one, such as an import. */
  | { readonly type: 'replace'; readonly label: string; readonly document: Document }
  | { readonly type: 'select'; readonly selection: Selection; readonly place?: Place | undefined }
  | { readonly type: 'say'; readonly notice: string }
  | { readonly type: 'undo' }
  | { readonly type: 'redo' };

export const openState = (document: Document): EditorState => ({
  history: newHistory(document),
  selection: nothingSelected,
  fieldToShow: null,
  notice: '',
});

export function reduceEditor(state: EditorState, action: EditorAction): EditorState {
  const { history } = state;
  switch (action.type) {
    case 'edit': {
      const definition = action.change(history.present.definition);
      if (definition === history.present.definition) return state;
      const next = change(history, { document: { definition, text: null }, label: action.label, key: action.key });
      return { ...state, history: next, selection: action.select ?? state.selection, notice: `Done: ${action.label}` };
    }
    case 'type': {
      const definition = action.definition ?? history.present.definition;
      const text = action.definition === null ? action.text : null;
      return {
        ...state,
        history: change(history, { document: { definition, text }, label: 'Edit JSON', key: 'json' }),
      };
    }
    case 'replace': {
      const { document, label } = action;
      return {
        ...state,
        history: change(history, { document, label }),
        selection: nothingSelected,
        notice: `Done: ${label}`,
      };
    }
    case 'select': {
      const { selection, place } = action;
      const asked = (state.fieldToShow?.asked ?? 0) + 1;
      return {
        ...state,
        history: pause(history),
        selection,
        fieldToShow: place === undefined ? state.fieldToShow : { place, asked },
      };
    }
    case 'say':
      return { ...state, notice: action.notice };
    case 'undo': {
      const last = history.past.at(-1);
      return last === undefined ? state : { ...state, history: undo(history), notice: `Undone: ${last.label}` };
    }
    case 'redo': {
      const [next] = history.future;
      return next === undefined ? state : { ...state, history: redo(history), notice: `Done again: ${next.label}` };
    }
  }
}
