// Code area: the definition as JSON in CodeMirror, with its problems at their places. Loaded when it is shown.
//
// Always true: it stands in a shadow root, whose style sheets are made by script: the policy of a page that forbids styles
// in the text of the page allows them.

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, foldKeymap } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { type ReactElement, useEffect, useRef } from 'react';

export interface CodeAreaProps {
  readonly label: string;
  readonly text: string;
  readonly onType: (text: string) => void;
  readonly diagnostics: readonly Diagnostic[];
  readonly isReadOnly?: boolean;
}

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--hd-text)', backgroundColor: 'var(--hd-bg)', fontSize: '13px' },
  '.cm-content': { fontFamily: 'var(--hd-mono)', caretColor: 'var(--hd-text)' },
  '.cm-gutters': { backgroundColor: 'var(--hd-surface)', color: 'var(--hd-muted)', border: '0' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hd-accent) 7%, transparent)' },
  '&.cm-focused': { outline: '2px solid var(--hd-accent)', outlineOffset: '-2px' },
  '.cm-cursor': { borderLeftColor: 'var(--hd-text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--hd-accent-soft)' },
  '.hd-json-name': { color: 'var(--hd-accent)' },
  '.hd-json-text': { color: 'var(--hd-done)' },
  '.hd-json-other': { color: 'var(--hd-waiting)' },
  '.cm-panels': { backgroundColor: 'var(--hd-surface)', color: 'var(--hd-text)' },
  '.cm-tooltip': { backgroundColor: 'var(--hd-raised)', color: 'var(--hd-text)', border: '1px solid var(--hd-line)' },
});

const marks = {
  name: Decoration.mark({ class: 'hd-json-name' }),
  text: Decoration.mark({ class: 'hd-json-text' }),
  other: Decoration.mark({ class: 'hd-json-other' }),
};

/** Names of members, texts, and numbers and words. */
const painter = new MatchDecorator({
  regexp: /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g,
  decoration: ([found, colon]) =>
    found.startsWith('"') ? (colon === undefined ? marks.text : marks.name) : marks.other,
});

const colours = ViewPlugin.define(
  (view) => ({
    decorations: painter.createDeco(view),
    update(update: ViewUpdate) {
      this.decorations = painter.updateDeco(update, this.decorations);
    },
  }),
  { decorations: ({ decorations }) => decorations },
);

const extensions = [
  lineNumbers(),
  foldGutter(),
  history(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  lintGutter(),
  json(),
  colours,
  theme,
];

export function CodeArea({ label, text, onType, diagnostics, isReadOnly = false }: CodeAreaProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const typed = useRef(onType);
  typed.current = onType;
  const first = useRef(text);

  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, indentWithTab]),
          ...extensions,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            const isOurs = transactions.some((one) => one.isUserEvent('heddle'));
            if (docChanged && !isOurs) typed.current(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [label, isReadOnly]);

  useEffect(() => {
    const made = view.current;
    if (made === null || made.state.doc.toString() === text) return;
    made.dispatch({ changes: changeBetween(made.state.doc.toString(), text), userEvent: 'heddle' });
  }, [text]);

  useEffect(() => {
    const made = view.current;
    if (made === null) return;
    const length = made.state.doc.length;
    const within = diagnostics.map((one) => ({
      ...one,
      from: Math.min(one.from, length),
      to: Math.min(one.to, length),
    }));
    made.dispatch(setDiagnostics(made.state, within));
  }, [diagnostics]);

  return <div ref={host} className="hd-code-area" />;
}

/** Only what differs, so that the cursor stays where it is. */
function changeBetween(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
