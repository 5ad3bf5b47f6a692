// Editor edge: a way between two nodes, with what it is taken for.

import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react';
import { memo, type ReactElement } from 'react';
import type { Mark } from '../model/difference.ts';
import type { DrawnEdge } from '../model/graph.ts';

export interface EditorEdgeData extends Record<string, unknown> {
  readonly drawn: DrawnEdge;
  readonly hasProblem: boolean;
  readonly mark?: Mark | undefined;
}

export type EditorFlowEdge = Edge<EditorEdgeData, 'way'>;

const labelMax = 48;

export const EditorEdge = memo(function EditorEdge(props: EdgeProps<EditorFlowEdge>): ReactElement {
  const { id, data, selected, markerEnd, interactionWidth = 24 } = props;
  const [path, x, y] = pathOf(props);
  const label = data?.drawn.label ?? '';
  const look = data?.mark ?? (data?.hasProblem === true ? 'problem' : selected === true ? 'selected' : 'plain');
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        className="hd-editor-edge"
        data-edge-look={look}
        interactionWidth={interactionWidth}
        {...(markerEnd === undefined ? {} : { markerEnd })}
      />
      {label === '' ? null : (
        <EdgeLabelRenderer>
          <span
            className="hd-editor-edge-label"
            data-edge-look={look}
            title={label}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          >
            {label.length > labelMax ? `${label.slice(0, labelMax)}…` : label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

/** A way back to its own node goes round it. */
function pathOf(props: EdgeProps<EditorFlowEdge>): readonly [string, number, number] {
  const { source, target, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props;
  if (source !== target) {
    const [path, x, y] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition });
    return [path, x, y];
  }
  const right = Math.max(sourceX, targetX) + 150;
  const path = `M ${sourceX} ${sourceY} C ${sourceX} ${sourceY + 50}, ${right} ${sourceY + 50}, ${right} ${(sourceY + targetY) / 2} S ${targetX} ${targetY - 50}, ${targetX} ${targetY}`;
  return [path, right, (sourceY + targetY) / 2];
}
