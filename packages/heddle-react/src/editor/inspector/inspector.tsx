// Inspector: the form of what is selected: a node, an edge, or the workflow itself if nothing is.

import type { Json, JsonObject } from 'heddle';
import { type KeyboardEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { edgeText } from '../canvas/flow-parts.ts';
import { NodeIcon } from '../canvas/node-icon.tsx';
import { type Editor, useEditor } from '../editor-context.ts';
import {
  changeEdge,
  changeNode,
  type DrawnEdge,
  type DrawnNode,
  edgesOf,
  findNode,
  renameNode,
} from '../model/graph.ts';
import { isObject, type Place, readAt } from '../model/places.ts';
import { ProblemText } from '../problem-text.tsx';
import type { Commands } from '../use-commands.ts';
import { dataflowNodeForm, handleEdgeForm, handleNodeForm } from './drawn-forms.ts';
import { FieldView } from './field-view.tsx';
import { type Form, makeForm, writeField } from './form.ts';
import type { FormSection } from './form-fields.ts';
import { JsonField } from './json-field.tsx';
import { connectorForm, threadNodeForm } from './thread-forms.ts';
import { definitionForm, tokenNodeForm, transitionForm } from './token-forms.ts';

export interface InspectorProps {
  readonly commands: Commands;
  readonly onConnect: () => void;
}

export function Inspector({ commands, onConnect }: InspectorProps): ReactElement {
  const editor = useEditor();
  const { state, graph } = editor;
  const { nodes, edges } = state.selection;
  const body = useRef<HTMLElement>(null);
  useShownField(body, editor);
  const node = nodes.length === 1 && edges.length === 0 ? graph.nodes.find(({ id }) => id === nodes[0]) : undefined;
  const edge = nodes.length === 0 && edges.length === 1 ? graph.edges.find(({ key }) => key === edges[0]) : undefined;
  return (
    <section ref={body} className="hd-inspector" aria-label="Inspector">
      {node !== undefined ? (
        <NodeInspector key={node.id} drawn={node} commands={commands} onConnect={onConnect} />
      ) : edge !== undefined ? (
        <EdgeInspector key={edge.key} drawn={edge} commands={commands} />
      ) : nodes.length + edges.length > 1 ? (
        <SeveralInspector count={nodes.length + edges.length} commands={commands} />
      ) : (
        <DefinitionInspector />
      )}
    </section>
  );
}

/** Focus goes to the field that somebody asked for, such as by a click on a problem. */
function useShownField(body: { readonly current: HTMLElement | null }, { state }: Editor): void {
  const { fieldToShow } = state;
  useEffect(() => {
    if (fieldToShow === null) return;
    const found = nearestField(body.current, fieldToShow.place);
    found?.closest('details')?.setAttribute('open', '');
    focusIn(found ?? body.current);
    found?.scrollIntoView({ block: 'nearest' });
  }, [fieldToShow, body]);
}

/** To the first control, also where it stands in a shadow root. */
export function focusIn(part: Element | null): void {
  const control = part?.querySelector<HTMLElement>('input, textarea, select, .hd-code-line, button');
  const code = control?.shadowRoot?.querySelector<HTMLElement>('.cm-content');
  (code ?? control)?.focus();
}

/** The field at a place, or the one that it lies in. */
function nearestField(body: HTMLElement | null, place: Place): HTMLElement | null {
  for (let length = place.length; length > 0; length -= 1) {
    const name = place.slice(0, length).join('/');
    const found = body?.querySelector<HTMLElement>(`[data-place="${CSS.escape(name)}"]`);
    if (found) return found;
  }
  return null;
}

interface NodeInspectorProps {
  readonly drawn: DrawnNode;
  readonly commands: Commands;
  readonly onConnect: () => void;
}

function NodeInspector({ drawn, commands, onConnect }: NodeInspectorProps): ReactElement {
  const editor = useEditor();
  const { definition, adapter, edit } = editor;
  const { id, kind, icon, isInitial } = drawn;
  const node = findNode(definition, id) ?? {};
  const form = makeForm(editor, {
    value: node,
    nodeId: id,
    problems: editor.problems.filter(({ place }) => place.type === 'node' && place.id === id),
    onWrite: (place, value) =>
      edit(`Change "${id}"`, (before) => changeNode(before, id, (old) => writeField(old, place, value)), {
        key: `node:${id}:${place.join('/')}`,
      }),
  });
  return (
    <>
      <header className="hd-inspector-head">
        <NodeIcon icon={icon} />
        <h2>{kind}</h2>
      </header>
      <IdField id={id} />
      <div className="hd-editor-buttons">
        <Button size="small" onClick={onConnect}>
          Connect to… <kbd>C</kbd>
        </Button>
        {adapter.dialect === 'token' && !isInitial ? (
          <Button size="small" onClick={() => edit(`Start with "${id}"`, (before) => ({ ...before, initialNode: id }))}>
            Start here
          </Button>
        ) : null}
        <Button size="small" kind="danger" onClick={commands.remove}>
          Remove <kbd>Del</kbd>
        </Button>
      </div>
      <Problems form={form} />
      <Sections sections={nodeForm(editor, node)} form={form} />
      <Ways id={id} />
      <Raw
        label={`Node ${id} as JSON`}
        value={node}
        onChange={(next) =>
          isObject(next) &&
          edit(`Change "${id}"`, (before) => changeNode(before, id, () => ({ ...next, id })), { key: `raw:${id}` })
        }
      />
    </>
  );
}

function nodeForm({ adapter, known }: Editor, node: JsonObject): readonly FormSection[] {
  switch (adapter.dialect) {
    case 'token':
      return tokenNodeForm(node);
    case 'thread':
      return threadNodeForm(node);
    case 'handle':
      return handleNodeForm(node, known);
    case 'dataflow':
      return dataflowNodeForm(node, known);
  }
}

/** The id is changed when it is done, everywhere at once. */
function IdField({ id }: { readonly id: string }): ReactElement {
  const { adapter, graph, edit, state } = useEditor();
  const [typed, setTyped] = useState(id);
  const fieldId = useId();
  const isTaken = typed !== id && graph.nodes.some((node) => node.id === typed);
  const done = (): void => {
    if (typed === id || typed.trim() === '' || isTaken) return setTyped(id);
    const select = { nodes: [typed], edges: [] };
    return edit(`Rename "${id}"`, (before) => renameNode(before, adapter, { from: id, to: typed }), {
      select: state.selection.nodes.includes(id) ? select : state.selection,
    });
  };
  return (
    <div className="hd-field" data-place="id">
      <label className="hd-field-label" htmlFor={fieldId}>
        Id
      </label>
      <input
        id={fieldId}
        className="hd-input"
        value={typed}
        aria-invalid={isTaken}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={done}
        onKeyDown={({ key }: KeyboardEvent) => key === 'Enter' && done()}
      />
      {isTaken ? <p className="hd-field-problem">Expected an id that is free, but another node has this one.</p> : null}
    </div>
  );
}

function EdgeInspector({ drawn, commands }: { readonly drawn: DrawnEdge; readonly commands: Commands }): ReactElement {
  const editor = useEditor();
  const { definition, adapter, edit, select } = editor;
  const { key, from, to, index } = drawn;
  const edge = edgesOf(definition, adapter)[index] ?? {};
  const change = (next: (edge: JsonObject) => JsonObject, editKey: string): void =>
    edit(`Change the way from "${from}" to "${to}"`, (before) => changeEdge(before, adapter, { key, change: next }), {
      key: editKey,
    });
  const form = makeForm(editor, {
    value: edge,
    nodeId: from,
    problems: editor.problems.filter(({ place }) => place.type === 'edge' && place.key === key),
    onWrite: (place, value) => change((old) => writeField(old, place, value), `edge:${key}:${place.join('/')}`),
  });
  return (
    <>
      <header className="hd-inspector-head">
        <h2>{adapter.dialect === 'token' ? 'Transition' : adapter.dialect === 'thread' ? 'Connector' : 'Edge'}</h2>
      </header>
      <p className="hd-editor-ends">
        <Button size="small" kind="quiet" onClick={() => select({ nodes: [from], edges: [] })}>
          {from}
        </Button>
        →
        <Button size="small" kind="quiet" onClick={() => select({ nodes: [to], edges: [] })}>
          {to}
        </Button>
      </p>
      <div className="hd-editor-buttons">
        <Button size="small" kind="danger" onClick={commands.remove}>
          Remove <kbd>Del</kbd>
        </Button>
        {adapter.dialect === 'token' ? <StrategyButton edge={edge} change={change} /> : null}
      </div>
      <Problems form={form} />
      <Sections sections={edgeForm(editor, edge)} form={form} />
      <Raw label="Edge as JSON" value={edge} onChange={(next) => isObject(next) && change(() => next, `raw:${key}`)} />
    </>
  );
}

/** From a word to a number of branches, and back. */
function StrategyButton({
  edge,
  change,
}: {
  readonly edge: JsonObject;
  readonly change: (next: (edge: JsonObject) => JsonObject, key: string) => void;
}): ReactElement | null {
  const strategy = readAt(edge, ['synchronization', 'strategy']);
  if (!isObject(edge['synchronization'])) return null;
  const isQuorum = isObject(strategy);
  return (
    <Button
      size="small"
      onClick={() =>
        change((old) => writeField(old, ['synchronization', 'strategy'], isQuorum ? 'all' : { mOfN: 2 }), 'strategy')
      }
    >
      {isQuorum ? 'Wait for all branches' : 'Wait for some of the branches'}
    </Button>
  );
}

function edgeForm({ adapter }: Editor, edge: JsonObject): readonly FormSection[] {
  switch (adapter.dialect) {
    case 'token':
      return transitionForm(edge);
    case 'thread':
      return connectorForm;
    case 'handle':
      return handleEdgeForm();
    case 'dataflow':
      return [];
  }
}

function DefinitionInspector(): ReactElement {
  const editor = useEditor();
  const { definition, adapter, edit } = editor;
  const form = makeForm(editor, {
    value: definition,
    nodeId: undefined,
    problems: editor.problems.filter(({ place }) => place.type === 'definition'),
    onWrite: (place, value) =>
      edit('Change the workflow', (before) => writeField(before, place, value), {
        key: `definition:${place.join('/')}`,
      }),
  });
  return (
    <>
      <header className="hd-inspector-head">
        <h2>Workflow</h2>
      </header>
      <Problems form={form} />
      <Sections sections={definitionForm(adapter.dialect === 'token')} form={form} />
    </>
  );
}

function SeveralInspector({ count, commands }: { readonly count: number; readonly commands: Commands }): ReactElement {
  return (
    <>
      <header className="hd-inspector-head">
        <h2>{count} parts are selected</h2>
      </header>
      <div className="hd-editor-buttons">
        <Button size="small" onClick={commands.duplicate}>
          Duplicate
        </Button>
        <Button size="small" onClick={commands.copy}>
          Copy
        </Button>
        <Button size="small" onClick={commands.group}>
          Group
        </Button>
        <Button size="small" kind="danger" onClick={commands.remove}>
          Remove
        </Button>
      </div>
    </>
  );
}

/** Those that belong to no field of the form. */
function Problems({ form }: { readonly form: Form }): ReactElement {
  const whole = form.problemsAt([]).filter(({ place }) => place.field.length === 0);
  return (
    <>
      {whole.map((problem) => (
        <p key={`${problem.code} ${problem.message}`}>
          <ProblemText problem={problem} />
        </p>
      ))}
    </>
  );
}

function Sections({
  sections,
  form,
}: {
  readonly sections: readonly FormSection[];
  readonly form: Form;
}): ReactElement {
  return (
    <>
      {sections.map(({ title, fields, isMinor = false }) => {
        const body = fields.map((field) => <FieldView key={field.place.join('/')} form={form} field={field} />);
        const isSet = fields.some(({ place }) => readAt(form.value, place) !== undefined);
        return isMinor ? (
          <details key={title} className="hd-editor-section" open={isSet}>
            <summary>{title}</summary>
            {body}
          </details>
        ) : (
          <div key={title} className="hd-editor-section">
            {body}
          </div>
        );
      })}
    </>
  );
}

/** The ways that leave a node and lead to it: from node to node without the mouse. */
function Ways({ id }: { readonly id: string }): ReactElement | null {
  const { graph, select } = useEditor();
  const ways = graph.edges.filter(({ from, to }) => from === id || to === id);
  if (ways.length === 0) return null;
  return (
    <div className="hd-editor-section" role="group" aria-label="Ways">
      <span className="hd-field-label">Ways</span>
      {ways.map((way) => (
        <Button
          key={way.key}
          size="small"
          kind="quiet"
          className="hd-editor-way"
          onClick={() => select({ nodes: [], edges: [way.key] })}
        >
          {edgeText(way)}
        </Button>
      ))}
    </div>
  );
}

function Raw({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: JsonObject;
  readonly onChange: (value: Json | undefined) => void;
}): ReactElement {
  const id = useId();
  return (
    <details className="hd-editor-section">
      <summary>JSON</summary>
      <JsonField id={id} label={label} value={value} onChange={onChange} />
    </details>
  );
}
