// Editor context: the workflow that is edited, for all parts of an editor.

import type { JsonObject } from 'heddle';
import { createContext, use } from 'react';
import type { EditorAction, EditorState, Selection } from './editor-state.ts';
import type { DialectAdapter, Known } from './model/adapter.ts';
import type { DrawnGraph } from './model/graph.ts';
import type { Document } from './model/history.ts';
import type { Place } from './model/places.ts';
import type { PlacedProblem } from './model/problem-place.ts';

export interface EditOptions {
  readonly key?: string;
  readonly select?: Selection;
}

export interface Editor {
  readonly workflow: string;
  /** Where the browser keeps what belongs to it. */
  readonly place: string;
  readonly state: EditorState;
  readonly document: Document;
  readonly definition: JsonObject;
  readonly adapter: DialectAdapter;
  readonly known: Known;
  readonly graph: DrawnGraph;
  readonly problems: readonly PlacedProblem[];
  readonly mayWrite: boolean;
  readonly dispatch: (action: EditorAction) => void;
  readonly edit: (label: string, change: (definition: JsonObject) => JsonObject, options?: EditOptions) => void;
  readonly select: (selection: Selection, place?: Place) => void;
  readonly say: (notice: string) => void;
}

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = use(EditorContext);
  if (editor === null) throw new Error('Expected a part of an editor inside of a <WorkflowEditor>, but it is not');
  return editor;
}
