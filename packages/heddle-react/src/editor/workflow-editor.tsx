// WorkflowEditor: draws a workflow, tries it, publishes it. It edits the draft of the workflow, which is kept on the server.

import { ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { lazy, type ReactElement, Suspense, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useAnswer, useMay } from '../connection/connection.tsx';
import { ErrorNotice, Notice, Skeleton } from '../parts/notice.tsx';
import { StatusShape } from '../parts/status-mark.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { EditorCanvas } from './canvas/editor-canvas.tsx';
import { type Check, useCheck } from './check/use-check.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { ConflictDialog } from './draft/conflict-dialog.tsx';
import { type DraftBase, type DraftStanding, type OpenedDraft, useDraft } from './draft/use-draft.ts';
import { useOpened } from './draft/use-opened.ts';
import { type Editor, EditorContext, useEditor } from './editor-context.ts';
import { openState, presentIn, reduceEditor } from './editor-state.ts';
import { FirstStep } from './first-step.tsx';
import { focusIn, Inspector } from './inspector/inspector.tsx';
import { JsonPanel } from './json/json-panel.tsx';
import { adapterOf } from './model/adapters.ts';
import { drawGraph } from './model/graph.ts';
import { placeProblems } from './model/problem-place.ts';
import { Outline } from './outline.tsx';
import { Palette, type PaletteProps } from './palette/palette.tsx';
import { ProblemList } from './problem-list.tsx';
import { PublishDialog } from './publish/publish-dialog.tsx';
import { type EditorMode, Toolbar } from './toolbar.tsx';
import { useCommands } from './use-commands.ts';
import { type KeyedActions, useEditorKeys } from './use-editor-keys.ts';
import { useFiles } from './use-files.tsx';
import { useKnown } from './use-known.ts';

const TrialPanel = lazy(async () => ({ default: (await import('./trial/trial-panel.tsx')).TrialPanel }));

export interface WorkflowEditorProps {
  /** Its id: of one that is registered, of a draft, or of a new one. */
  readonly workflow: string;
  /** Who edits, as others are told. */
  readonly author?: string;
  /** A past run whose data is tried with. */
  readonly runId?: string;
  readonly onPublished?: (version: number) => void;
}

export function WorkflowEditor(props: WorkflowEditorProps): ReactElement {
  const opening = useOpened(props.workflow);
  if (opening.state === 'opening') return <Skeleton lines={8} label="Opening the editor" />;
  if (opening.state === 'failed') return <ErrorNotice error={opening.error} onRetry={opening.again} />;
  return (
    <ReactFlowProvider>
      <OpenEditor key={props.workflow} {...props} opened={opening.opened} />
    </ReactFlowProvider>
  );
}

interface OpenEditorProps extends WorkflowEditorProps {
  readonly opened: OpenedDraft;
}

function OpenEditor({ workflow, author, runId, onPublished, opened }: OpenEditorProps): ReactElement {
  const [state, dispatch] = useReducer(reduceEditor, opened.document, openState);
  const known = useKnown();
  const may = useMay();
  const document = state.history.present;
  const { definition } = document;
  const check = useCheck(document, known);
  const mayWrite = may('definition:write');
  const draft = useDraft({ workflow, opened, document, author, mayWrite });
  // What a page had not saved when it went is there again, as the last change.
  useEffect(() => {
    if (opened.backup !== null)
      dispatch({ type: 'replace', label: 'Restore what was not saved', document: opened.backup.document });
  }, [opened]);
  const adapter = useMemo(() => adapterOf(definition), [definition]);
  const graph = useMemo(() => drawGraph(definition, adapter, known), [definition, adapter, known]);
  const isBegun = graph.nodes.length > 0 || document.text !== null;
  const problems = useMemo(
    () => (isBegun ? placeProblems(check.problems, definition, adapter) : []),
    [isBegun, check.problems, definition, adapter],
  );
  const shown = useMemo(() => ({ ...state, selection: presentIn(graph, state.selection) }), [state, graph]);
  const editor = useMemo(
    (): Editor => ({
      workflow,
      place: opened.place,
      state: shown,
      document,
      definition,
      adapter,
      known,
      graph,
      problems,
      mayWrite,
      dispatch,
      edit: (label, change, options = {}) => mayWrite && dispatch({ type: 'edit', label, change, ...options }),
      select: (selection, place) => dispatch({ type: 'select', selection, place }),
      say: (notice) => dispatch({ type: 'say', notice }),
    }),
    [workflow, opened.place, shown, document, definition, adapter, known, graph, problems, mayWrite],
  );
  return (
    <EditorContext value={editor}>
      <EditorFrame draft={draft} check={check} runId={runId} onPublished={onPublished} />
    </EditorContext>
  );
}

interface EditorFrameProps {
  readonly draft: DraftStanding;
  readonly check: Check;
  readonly runId: string | undefined;
  readonly onPublished: ((version: number) => void) | undefined;
}

function EditorFrame({ draft, check, runId, onPublished }: EditorFrameProps): ReactElement {
  const editor = useEditor();
  const { document, state, dispatch } = editor;
  const root = useRef<HTMLDivElement>(null);
  const left = useLeft();
  const commands = useCommands();
  const [mode, setMode] = useState<EditorMode>(runId === undefined ? 'draw' : 'try');
  const [dialog, setDialog] = useState<'connect' | 'publish' | null>(null);
  const files = useFiles({ draft, check });
  const from = editor.graph.nodes.find(({ id }) => id === state.selection.nodes[0]);
  const actions: KeyedActions = {
    ...commands,
    undo: () => dispatch({ type: 'undo' }),
    redo: () => dispatch({ type: 'redo' }),
    connect: () => setDialog(from === undefined ? null : 'connect'),
    search: left.find,
    publish: () => setDialog('publish'),
    inspect: () => focusIn(root.current?.querySelector('.hd-inspector [data-place]') ?? null),
  };
  useEditorKeys(root, mode === 'draw' ? actions : null);
  return (
    <div ref={root} className="hd-editor" data-mode={mode}>
      <Toolbar {...files} actions={actions} draft={draft} mode={mode} onMode={setMode} />
      {mode === 'try' ? (
        <Trial runId={runId} base={draft.base} />
      ) : (
        <Drawing actions={actions} left={left} onConnect={actions.connect} onImport={files.onImport} />
      )}
      <div className="hd-editor-notice" role="status">
        {state.notice}
      </div>
      {files.input}
      {dialog === 'connect' && from !== undefined ? (
        <ConnectDialog from={from} commands={commands} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === 'publish' ? (
        <PublishDialog
          draft={draft}
          isChecked={check.of === document}
          onClose={() => setDialog(null)}
          onPublished={({ version, hash }) => {
            setDialog(null);
            if (version === null || hash === null) return;
            draft.rebase({ version, hash }, document);
            editor.say(`Published as version ${version}.`);
            onPublished?.(version);
          }}
        />
      ) : null}
      {draft.theirs === null ? null : <ConflictDialog draft={draft} theirs={draft.theirs} />}
    </div>
  );
}

interface TrialProps {
  readonly runId: string | undefined;
  readonly base: DraftBase | null;
}

function Trial({ runId, base }: TrialProps): ReactElement {
  const { workflow, place, document } = useEditor();
  return (
    <Suspense fallback={<Skeleton lines={6} />}>
      {runId === undefined ? null : <OtherVersion runId={runId} base={base} />}
      <TrialPanel workflow={workflow} place={place} definition={document.definition} runId={runId} />
    </Suspense>
  );
}

/** What is drawn may be another version than a past run had: its data may not fit everywhere. */
function OtherVersion({
  runId,
  base,
}: {
  readonly runId: string;
  readonly base: DraftBase | null;
}): ReactElement | null {
  const { data: run } = useAnswer('getRun', { runId });
  if (run === undefined || run.version === base?.version) return null;
  const drawn = base === null ? 'What is drawn is not published' : `What is drawn comes from version ${base.version}`;
  return (
    <Notice look="waiting" title={`The run had version ${run.version}`}>
      {drawn}: the outcomes of the run may not fit everywhere.
    </Notice>
  );
}

interface LeftSide {
  readonly shown: 'palette' | 'nodes';
  readonly show: (tab: 'palette' | 'nodes') => void;
  readonly search: { current: HTMLInputElement | null };
  /** To the field of the palette, whatever is shown. */
  readonly find: () => void;
}

function useLeft(): LeftSide {
  const search = useRef<HTMLInputElement>(null);
  const [shown, show] = useState<LeftSide['shown']>('palette');
  const find = (): void => {
    flushSync(() => show('palette')); // the field is there before it gets the focus
    search.current?.focus();
  };
  return { shown, show, search, find };
}

interface DrawingProps {
  readonly actions: KeyedActions;
  readonly left: LeftSide;
  readonly onConnect: () => void;
  readonly onImport: () => void;
}

/** Palette, canvas with the problems below, and the settings or the JSON. */
function Drawing({ actions, left, onConnect, onImport }: DrawingProps): ReactElement {
  const { adapter, known, graph, problems, document } = useEditor();
  const flow = useReactFlow();
  const items = useMemo(() => adapter.palette(known), [adapter, known]);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  return (
    <div className="hd-editor-body">
      <Left items={items} onAdd={(item) => actions.add(item)} left={left} />
      <div className="hd-editor-middle">
        <div className="hd-editor-canvas">
          <EditorCanvas
            commands={actions}
            toFlow={flow.screenToFlowPosition}
            onDropItem={(name, at) => {
              const item = items.find((one) => one.name === name);
              if (item !== undefined) actions.add(item, at);
            }}
          />
          {graph.nodes.length === 0 && document.text === null ? <FirstStep onImport={onImport} /> : null}
        </div>
        <details className="hd-editor-problems">
          <summary data-look={errors > 0 ? 'failed' : warnings > 0 ? 'waiting' : 'done'}>
            <StatusShape look={errors > 0 ? 'failed' : warnings > 0 ? 'waiting' : 'done'} />
            Problems: {errors} {errors === 1 ? 'error' : 'errors'}, {warnings} {warnings === 1 ? 'warning' : 'warnings'}
          </summary>
          <ProblemList />
        </details>
      </div>
      <Right actions={actions} onConnect={onConnect} />
    </div>
  );
}

/** What can be added, or what is there. */
function Left({ left, ...props }: Omit<PaletteProps, 'search'> & { readonly left: LeftSide }): ReactElement {
  const { graph } = useEditor();
  const { shown, show, search } = left;
  const tabs = [
    { name: 'palette', label: 'Add' },
    { name: 'nodes', label: `Nodes (${graph.nodes.length})` },
  ] as const;
  return (
    <div className="hd-editor-left">
      <Tabs label="What to add, and what is there" tabs={tabs} selected={shown} onSelect={show}>
        {shown === 'palette' ? <Palette {...props} search={search} /> : <Outline />}
      </Tabs>
    </div>
  );
}

const editTabs = [
  { name: 'settings', label: 'Settings' },
  { name: 'json', label: 'JSON' },
] as const;

function Right({ actions, onConnect }: Pick<DrawingProps, 'actions' | 'onConnect'>): ReactElement {
  const [shown, setShown] = useState<'settings' | 'json'>('settings');
  return (
    <div className="hd-editor-right">
      <Tabs label="How to edit it" tabs={editTabs} selected={shown} onSelect={setShown}>
        {shown === 'settings' ? <Inspector commands={actions} onConnect={onConnect} /> : <JsonPanel />}
      </Tabs>
    </div>
  );
}
