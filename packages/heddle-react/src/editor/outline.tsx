// Outline: all nodes as a list, in their order: the drawing without a canvas, for the keyboard and for screen readers.

import type { ReactElement } from 'react';
import { NodeIcon } from './canvas/node-icon.tsx';
import { useEditor } from './editor-context.ts';

const shownMax = 500;

export function Outline(): ReactElement {
  const { graph, state, select } = useEditor();
  const { nodes } = graph;
  if (nodes.length === 0) return <p className="hd-field-hint hd-editor-pad">No nodes yet.</p>;
  return (
    <ul className="hd-editor-outline" aria-label="Nodes">
      {nodes.slice(0, shownMax).map(({ id, kind, icon }) => {
        const next = graph.edges.filter(({ from }) => from === id).map(({ to }) => to);
        return (
          <li key={id}>
            <button
              type="button"
              className="hd-palette-item"
              aria-pressed={state.selection.nodes.includes(id)}
              onClick={() => select({ nodes: [id], edges: [] })}
            >
              <NodeIcon icon={icon} />
              <span className="hd-palette-title">{id}</span>
              <span className="hd-field-hint">
                {kind}
                {next.length === 0 ? '' : ` → ${next.join(', ')}`}
              </span>
            </button>
          </li>
        );
      })}
      {nodes.length > shownMax ? <li className="hd-field-hint">and {nodes.length - shownMax} more</li> : null}
    </ul>
  );
}
