// LoopEdge: an edge that leads back, or to its own node: drawn around the right side, so that it hides nothing.

import { BaseEdge, type EdgeProps } from '@xyflow/react';
import type { ReactElement } from 'react';
import { nodeSize } from './node-box.tsx';

const margin = 36;
/** About as wide as a character of a label is. */
const characterWidth = 6;

export function LoopEdge(props: EdgeProps): ReactElement {
  const { id, sourceX, sourceY, targetX, targetY, label, markerEnd } = props;
  const right = Math.max(sourceX, targetX) + nodeSize.width / 2 + margin;
  const path = [
    `M ${sourceX} ${sourceY}`,
    `C ${sourceX} ${sourceY + margin}, ${right} ${sourceY + margin}, ${right} ${sourceY}`,
    `L ${right} ${targetY}`,
    `C ${right} ${targetY - margin}, ${targetX} ${targetY - margin}, ${targetX} ${targetY}`,
  ].join(' ');
  return (
    <BaseEdge
      id={id}
      path={path}
      label={label}
      labelX={right + (typeof label === 'string' ? (label.length * characterWidth) / 2 : 0)}
      labelY={(sourceY + targetY) / 2}
      {...(markerEnd === undefined ? {} : { markerEnd })}
    />
  );
}
