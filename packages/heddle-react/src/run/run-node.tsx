// RunNode: a node of a run on the canvas: what it is, how it stands, how many of its visits stand how.

import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo, type ReactElement } from 'react';
import { NodeBox } from '../canvas/node-box.tsx';
import { StatusShape } from '../parts/status-mark.tsx';
import type { DrawnNode } from './drawing.ts';
import { type BranchBar, barText, type Count, joinText, type NodeMark } from './node-marks.ts';

export interface RunNodeData extends Record<string, unknown> {
  readonly drawn: DrawnNode;
  readonly mark: NodeMark;
  readonly isSelected: boolean;
}

export type RunFlowNode = Node<RunNodeData, 'run'>;

export const RunNode = memo(function RunNode({ data }: NodeProps<RunFlowNode>): ReactElement {
  const { drawn, mark, isSelected } = data;
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <NodeBox
        title={drawn.title}
        what={drawn.what}
        look={mark.look}
        isSelected={isSelected}
        isDimmed={mark.look === 'idle'}
      >
        <Counts mark={mark} />
        {mark.branches ? <BranchesBar bar={mark.branches} /> : null}
        {mark.join ? <span className="hd-node-join">{joinText(mark.join)}</span> : null}
        {mark.note === undefined ? null : <span className="hd-node-note">{mark.note}</span>}
      </NodeBox>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  );
});

/** One visit needs no numbers: the shape in its head says it all. */
function Counts({ mark: { counts, visits } }: { readonly mark: NodeMark }): ReactElement | null {
  if (visits < 2) return null;
  return (
    <div className="hd-counts">
      {counts.map((count) => (
        <CountMark key={count.word} {...count} />
      ))}
    </div>
  );
}

function CountMark({ look, word, count }: Count): ReactElement {
  return (
    <span className="hd-status" data-look={look} title={`${count.toLocaleString('en')} ${word}`}>
      <StatusShape look={look} />
      {shortCount(count)}
      <span className="hd-visually-hidden">{word}</span>
    </span>
  );
}

/** `12,345` is `12.3k`: a node has little room. */
function shortCount(count: number): string {
  return count < 10_000 ? count.toLocaleString('en') : `${(count / 1_000).toFixed(1)}k`;
}

const parts = [
  ['done', 'done'],
  ['active', 'active'],
  ['failed', 'failed'],
  ['waiting', 'waiting'],
] as const;

function BranchesBar({ bar }: { readonly bar: BranchBar }): ReactElement {
  return (
    <div className="hd-branches" title={barText(bar)}>
      <div className="hd-branch-bar" aria-hidden="true">
        {parts.map(([name, look]) =>
          bar[name] === 0 ? null : (
            <span key={name} className="hd-branch-bar-part" data-look={look} style={{ flexGrow: bar[name] }} />
          ),
        )}
      </div>
      <span className="hd-branches-text">
        {shortCount(bar.done)} of {shortCount(bar.total)} branches
        {bar.failed > 0 ? `, ${shortCount(bar.failed)} failed` : ''}
      </span>
    </div>
  );
}
