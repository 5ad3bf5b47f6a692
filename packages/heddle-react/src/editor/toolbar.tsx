// Toolbar: what can be done with the workflow, and how its draft stands.

import type { ReactElement } from 'react';
import { Button } from '../parts/button.tsx';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import { StatusShape } from '../parts/status-mark.tsx';
import type { DraftStanding, DraftState } from './draft/use-draft.ts';
import { useEditor } from './editor-context.ts';
import type { KeyedActions } from './use-editor-keys.ts';

export type EditorMode = 'draw' | 'try';

export interface ToolbarProps {
  readonly actions: KeyedActions;
  readonly draft: DraftStanding;
  readonly mode: EditorMode;
  readonly onMode: (mode: EditorMode) => void;
  readonly onImport: () => void;
  readonly onExport: () => void;
  readonly onDiscard: () => void;
}

export function Toolbar(props: ToolbarProps): ReactElement {
  const { actions, draft, mode, onMode } = props;
  const { workflow, state, document, graph, mayWrite } = useEditor();
  const { past, future } = state.history;
  const canPublish = mayWrite && document.text === null && graph.nodes.length > 0 && canBePublished.has(draft.state);
  return (
    <div className="hd-editor-bar" role="toolbar" aria-label="Editor">
      <h1 className="hd-editor-name">{workflow}</h1>
      <DraftText draft={draft} />
      <span className="hd-editor-space" />
      <Button
        size="small"
        kind="quiet"
        aria-label="Undo"
        title="Undo (Ctrl Z)"
        disabled={past.length === 0}
        onClick={actions.undo}
      >
        ↶
      </Button>
      <Button
        size="small"
        kind="quiet"
        aria-label="Redo"
        title="Redo (Ctrl Shift Z)"
        disabled={future.length === 0}
        onClick={actions.redo}
      >
        ↷
      </Button>
      <Menus {...props} />
      <Button size="small" aria-pressed={mode === 'try'} onClick={() => onMode(mode === 'try' ? 'draw' : 'try')}>
        {mode === 'try' ? 'Back to drawing' : 'Try it'}
      </Button>
      <Button size="small" kind="primary" disabled={!canPublish} title="Ctrl Shift P" onClick={actions.publish}>
        Publish…
      </Button>
    </div>
  );
}

/** There is something to publish, and nobody to agree with first. */
const canBePublished: ReadonlySet<DraftState> = new Set(['saved', 'unsaved', 'saving', 'failed']);

function Menus({ actions, draft, mode, onImport, onExport, onDiscard }: ToolbarProps): ReactElement {
  const { state, mayWrite } = useEditor();
  const { past, future } = state.history;
  const { nodes, edges } = state.selection;
  const isNothing = nodes.length + edges.length === 0;
  const edit: readonly MenuItem[] = [
    {
      label: `Undo ${past.at(-1)?.label ?? ''}`.trim(),
      keys: 'Ctrl Z',
      onSelect: actions.undo,
      isDisabled: past.length === 0,
    },
    {
      label: `Redo ${future[0]?.label ?? ''}`.trim(),
      keys: 'Ctrl Shift Z',
      onSelect: actions.redo,
      isDisabled: future.length === 0,
    },
    { label: 'Add a node', keys: 'A', onSelect: actions.search },
    { label: 'Connect to…', keys: 'C', onSelect: actions.connect, isDisabled: nodes.length !== 1 },
    { label: 'Settings of what is selected', keys: 'E', onSelect: actions.inspect },
    { label: 'Cut', keys: 'Ctrl X', onSelect: actions.cut, isDisabled: nodes.length === 0 },
    { label: 'Copy', keys: 'Ctrl C', onSelect: actions.copy, isDisabled: nodes.length === 0 },
    { label: 'Paste', keys: 'Ctrl V', onSelect: actions.paste },
    { label: 'Duplicate', keys: 'Ctrl D', onSelect: actions.duplicate, isDisabled: nodes.length === 0 },
    { label: 'Remove', keys: 'Del', onSelect: actions.remove, isDisabled: isNothing },
    { label: 'Select all', keys: 'Ctrl A', onSelect: actions.selectAll },
    { label: 'Group', keys: 'Ctrl G', onSelect: actions.group, isDisabled: nodes.length === 0 },
    { label: 'Ungroup', keys: 'Ctrl Shift G', onSelect: actions.ungroup, isDisabled: nodes.length === 0 },
    { label: 'Fold or unfold the group', keys: 'G', onSelect: actions.fold, isDisabled: nodes.length === 0 },
    { label: 'Arrange', keys: 'L', onSelect: actions.arrange },
    { label: 'Show all', keys: 'F', onSelect: actions.fit },
  ];
  const file: readonly MenuItem[] = [
    { label: 'Import a file…', onSelect: onImport, isDisabled: !mayWrite },
    { label: 'Export as a file', onSelect: onExport },
    { label: 'Discard the draft', onSelect: onDiscard, isDisabled: draft.revision === null || !mayWrite },
  ];
  return (
    <>
      {mode === 'draw' ? <Menu label="Edit" items={edit} /> : null}
      <Menu label="File" items={file} />
    </>
  );
}

const texts: Readonly<
  Record<DraftState, { readonly text: string; readonly look: 'done' | 'active' | 'failed' | 'idle' | 'waiting' }>
> = {
  none: { text: 'As published', look: 'done' },
  saved: { text: 'Draft saved', look: 'done' },
  unsaved: { text: 'Draft not saved yet', look: 'waiting' },
  saving: { text: 'Saving the draft', look: 'active' },
  failed: { text: 'The draft could not be saved; trying again', look: 'failed' },
  changed: { text: 'Somebody else has changed the draft', look: 'failed' },
};

function DraftText({ draft }: { readonly draft: DraftStanding }): ReactElement {
  const { text, look } = texts[draft.state];
  const from = draft.base === null ? 'never published' : `from version ${draft.base.version}`;
  const isBehind = draft.base !== null && draft.newest !== null && draft.newest.version > draft.base.version;
  return (
    <span className="hd-status" data-look={look} role="status">
      <StatusShape look={look} />
      {draft.state === 'none' && draft.base === null ? 'Nothing drawn yet' : text}
      <span className="hd-field-hint">
        {from}
        {isBehind ? `; version ${draft.newest?.version} is newer` : ''}
      </span>
    </span>
  );
}
