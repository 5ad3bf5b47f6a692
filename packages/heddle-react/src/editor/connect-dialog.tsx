// Connect dialog: draws an edge without the mouse: from the selected node, by an output, to a node that is chosen from a list.

import { type ReactElement, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useEditor } from './editor-context.ts';
import type { DrawnNode } from './model/graph.ts';
import type { Commands } from './use-commands.ts';

export interface ConnectDialogProps {
  readonly from: DrawnNode;
  readonly commands: Commands;
  readonly onClose: () => void;
}

export function ConnectDialog({ from, commands, onClose }: ConnectDialogProps): ReactElement {
  const { graph, adapter, definition, known } = useEditor();
  const [words, setWords] = useState('');
  const [output, setOutput] = useState(from.outputs?.[0]);
  const [reason, setReason] = useState('');
  const found = graph.nodes.filter(({ id, title }) => `${id} ${title}`.toLowerCase().includes(words.toLowerCase()));
  const connectTo = (node: DrawnNode, input: string | undefined): void => {
    const ends = { from: from.id, to: node.id, output, input };
    const refused = adapter.refuse(definition, ends, known);
    if (refused !== null) setReason(refused);
    else if (commands.connectNodes(ends)) onClose();
  };
  return (
    <Dialog title={`Connect ${from.id} to…`} onClose={onClose} actions={<Button onClick={onClose}>Cancel</Button>}>
      {from.outputs === null || from.outputs.length === 0 ? null : (
        <label className="hd-field">
          <span className="hd-field-label">Output</span>
          <select className="hd-input" value={output} onChange={(event) => setOutput(event.target.value)}>
            {from.outputs.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <input
        className="hd-input"
        type="search"
        aria-label="Search nodes"
        placeholder="Search nodes"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={({ key }) => {
          const [first] = found;
          if (key === 'Enter' && first !== undefined) connectTo(first, first.inputs?.[0]);
        }}
      />
      <p role="status" className="hd-field-problem">
        {reason}
      </p>
      <ul className="hd-connect-list">
        {found.slice(0, 100).flatMap((node) =>
          (node.inputs ?? [undefined]).map((input) => (
            <li key={`${node.id} ${input ?? ''}`}>
              <Button kind="quiet" onClick={() => connectTo(node, input)}>
                {node.id}
                {input === undefined ? '' : ` (${input})`} <span className="hd-field-hint">{node.kind}</span>
              </Button>
            </li>
          )),
        )}
      </ul>
    </Dialog>
  );
}
