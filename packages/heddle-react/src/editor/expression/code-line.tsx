// CodeLine: an expression in CodeMirror, one line that wraps where it is long: completion, colours, the problem underlined
// at its place. Loaded when it is used. To screen readers it is a text box with its label and its problem.
//
// Always true: it stands in a shadow root, whose style sheets are made by script: the policy of a page that forbids styles
// in the text of the page allows them.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  type KeyBinding,
  keymap,
  MatchDecorator,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { type ReactElement, useEffect, useRef } from 'react';
import { isError, type ToldProblem } from '../problem-text.tsx';
import { complete, type Suggestion } from './complete.ts';
import type { ExpressionScope } from './scope.ts';

export interface LineProblem extends ToldProblem {
  /** Where in the source, from 0; absent: all of it. */
  readonly position?: number;
}

export interface CodeLineProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly scope: ExpressionScope;
  readonly problem: LineProblem | null;
  readonly placeholder?: string | undefined;
}

export function CodeLine(props: CodeLineProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const line = useRef<Line | null>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    if (host.current === null) return;
    const made = new Line(host.current, () => latest.current);
    line.current = made;
    return () => {
      line.current = null;
      made.close();
    };
  }, []);
  const { value, problem, label } = props;
  useEffect(() => line.current?.show(value), [value]);
  useEffect(() => line.current?.tell(label, problem), [label, problem]);
  return <div ref={host} className="hd-code-line" />;
}

/** Who never hands a value back is not waited for. */
const handedMax = 100;

/** The editor itself, apart from React. */
class Line {
  readonly #view: EditorView;
  readonly #attributes = new Compartment();
  readonly #note: HTMLElement;
  /** What was typed and has not come back yet, oldest first. */
  #handed: readonly string[] = [];
  /** A change from elsewhere is being shown. */
  #isShowing = false;

  constructor(host: HTMLElement, props: () => CodeLineProps) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    this.#note = document.createElement('span');
    this.#note.id = 'problem';
    this.#note.hidden = true;
    const { value, label, problem, placeholder: shown } = props();
    const state = EditorState.create({
      doc: value,
      extensions: [
        history(),
        oneLine,
        EditorView.lineWrapping,
        typeByScript,
        colours,
        look,
        autocompletion({
          override: [(context) => suggest(context, props().scope)],
          icons: false,
          interactionDelay: 0,
        }),
        keymap.of([noNewLine, ...defaultKeymap, ...historyKeymap]),
        this.#attributes.of(describe(label, problem)),
        ...(shown === undefined ? [] : [placeholder(shown)]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !this.#isShowing) this.#hand(update.state.doc.toString(), props().onChange);
        }),
      ],
    });
    this.#view = new EditorView({ state, root, parent: root });
    root.append(this.#note);
    this.tell(label, problem);
  }

  /** What was changed elsewhere. What was typed here comes back, and may by then be older than what stands here. */
  show(value: string): void {
    const place = this.#handed.lastIndexOf(value);
    if (place >= 0) {
      this.#handed = this.#handed.slice(place + 1);
      return;
    }
    const { doc } = this.#view.state;
    if (doc.toString() === value) return;
    this.#handed = [];
    this.#isShowing = true;
    this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
    this.#isShowing = false;
  }

  #hand(value: string, onChange: (value: string) => void): void {
    this.#handed = [...this.#handed.slice(-handedMax), value];
    onChange(value);
  }

  tell(label: string, problem: LineProblem | null): void {
    const { state } = this.#view;
    const marks = problem === null ? [] : [markOf(problem, state.doc.toString())];
    this.#note.textContent = problem === null ? '' : `${problem.message} ${problem.hint ?? ''}`;
    this.#view.dispatch(setDiagnostics(state, marks));
    this.#view.dispatch({ effects: this.#attributes.reconfigure(describe(label, problem)) });
  }

  close(): void {
    this.#view.destroy();
    this.#note.remove();
  }
}

function describe(label: string, problem: LineProblem | null): Extension {
  return EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-multiline': 'false',
    'aria-invalid': String(problem !== null && isError(problem)),
    'aria-describedby': 'problem',
    spellcheck: 'false',
    autocapitalize: 'off',
  });
}

/** From where it is to the end of the word; the last character where nothing follows. */
function markOf(problem: LineProblem, source: string): Diagnostic {
  const { message, hint, position } = problem;
  const severity = isError(problem) ? 'error' : 'warning';
  const from = position === undefined ? 0 : Math.min(position, Math.max(0, source.length - 1));
  const word = /^\w+/.exec(source.slice(from))?.[0].length ?? 1;
  const to = position === undefined ? source.length : Math.min(source.length, from + word);
  return { from, to, severity, message: hint === undefined ? message : `${message} ${hint}` };
}

function suggest(context: CompletionContext, scope: ExpressionScope): CompletionResult | null {
  const { state, pos, explicit } = context;
  const found = complete(state.doc.toString(), pos, scope);
  if (found === null || found.options.length === 0) return null;
  const isBegun = found.from < pos || state.sliceDoc(pos - 1, pos) === '.';
  if (!isBegun && !explicit) return null;
  return { from: found.from, options: found.options.map(toCompletion), validFor: /^\w*$/ };
}

const ranks: Readonly<Record<Suggestion['kind'], number>> = { member: 2, name: 1, function: 0, macro: 0 };

function toCompletion({ label, kind, about, insert }: Suggestion): Completion {
  return {
    label,
    boost: ranks[kind],
    // A space, so that a screen reader does not read both as one word.
    ...(about === undefined ? {} : { detail: ` ${about}` }),
    ...(insert === undefined ? {} : { apply: insertAt(insert) }),
  };
}

/** The cursor comes to the bar. */
function insertAt(text: string) {
  return (view: EditorView, _: Completion, from: number, to: number): void => {
    const insert = text.replace('|', '');
    view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + text.indexOf('|') } });
  };
}

/** Enter takes what is offered, and does nothing else. */
const noNewLine: KeyBinding = { key: 'Enter', run: () => true, shift: () => true };

/**
 * What is typed is put in by script. Left to itself, a browser keeps the look of what stood there by a style in the text of the
 * page, which the policy of the page forbids.
 */
const typeByScript = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    if (inputType !== 'insertText' || data === null || isComposing) return false;
    event.preventDefault();
    const { from, to } = selectedIn(view);
    view.dispatch({
      changes: { from, to, insert: data },
      selection: { anchor: from + data.length },
      userEvent: 'input.type',
      scrollIntoView: true,
    });
    return true;
  },
});

/** As the browser has it, which may be ahead of what the editor has heard of; where it does not say, as the editor has it. */
function selectedIn(view: EditorView): { readonly from: number; readonly to: number } {
  // Chromium has it on shadow roots, too.
  const selection = (view.root as { getSelection?: () => Selection | null }).getSelection?.() ?? null;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection ?? {};
  if (!anchorNode || !focusNode || !view.contentDOM.contains(anchorNode)) return view.state.selection.main;
  const ends = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)];
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

/** What is pasted on several lines becomes one. */
const oneLine = EditorState.transactionFilter.of((transaction) => {
  if (transaction.newDoc.lines <= 1) return transaction;
  const insert = transaction.newDoc.toString().replaceAll(/\s*\n\s*/g, ' ');
  return [
    { changes: { from: 0, to: transaction.startState.doc.length, insert }, selection: { anchor: insert.length } },
  ];
});

const words = new MatchDecorator({
  regexp: /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\b\d+(?:\.\d+)?\b|\b(?:true|false|null|in)\b|\b\w+(?=\()/g,
  decoration: ([text]) => Decoration.mark({ class: kindOf(text) }),
});

function kindOf(text: string): string {
  if (/^["']/.test(text)) return 'hd-code-text';
  if (/^\d/.test(text)) return 'hd-code-number';
  return /^(?:true|false|null|in)$/.test(text) ? 'hd-code-word' : 'hd-code-call';
}

const colours = ViewPlugin.define(
  (view) => ({
    marks: words.createDeco(view),
    update(update: ViewUpdate) {
      this.marks = words.updateDeco(update, this.marks);
    },
  }),
  { decorations: ({ marks }) => marks },
);

/** The tokens of the page are inherited into a shadow root. */
const look = EditorView.theme({
  '&': {
    minHeight: '32px',
    border: '1px solid var(--hd-edge)',
    borderRadius: 'var(--hd-radius)',
    background: 'var(--hd-bg)',
    color: 'var(--hd-text)',
    font: '13px / 22px var(--hd-mono)',
  },
  '&.cm-focused': { outline: '2px solid var(--hd-accent)', outlineOffset: '2px' },
  '.cm-scroller': { font: 'inherit', overflowX: 'auto', scrollbarWidth: 'none' },
  '.cm-content': { padding: '4px 0', caretColor: 'var(--hd-text)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-placeholder': { color: 'var(--hd-muted)' },
  '.hd-code-text': { color: 'var(--hd-done)' },
  '.hd-code-number': { color: 'var(--hd-waiting)' },
  '.hd-code-word': { color: 'var(--hd-paused)' },
  '.hd-code-call': { color: 'var(--hd-accent)' },
  '.cm-tooltip': {
    border: '1px solid var(--hd-line)',
    borderRadius: 'var(--hd-radius)',
    background: 'var(--hd-raised)',
    color: 'var(--hd-text)',
    boxShadow: '0 4px 16px rgb(0 0 0 / 18%)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { font: '13px / 20px var(--hd-mono)', maxHeight: '240px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--hd-accent)',
    color: 'var(--hd-on-accent)',
  },
  '.cm-completionDetail': {
    marginInlineStart: '12px',
    opacity: '0.8',
    fontFamily: 'var(--hd-font)',
    fontStyle: 'normal',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-diagnostic': { fontFamily: 'var(--hd-font)', borderInlineStart: '3px solid var(--hd-failed)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--hd-failed)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--hd-failed)' },
  '.cm-diagnostic-warning': { borderInlineStartColor: 'var(--hd-waiting)' },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline dotted var(--hd-waiting)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-warning::after': { borderBottomColor: 'var(--hd-waiting)' },
});
