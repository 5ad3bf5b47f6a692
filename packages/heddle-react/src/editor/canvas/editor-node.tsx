// Editor node: a node on the canvas of the editor: what it is called, what it does, its outputs and inputs, its problems.

import { Handle, type Node, type NodeProps, Position, useUpdateNodeInternals } from '@xyflow/react';
import { memo, type ReactElement, useEffect, useRef } from 'react';
import type { Mark } from '../model/difference.ts';
import type { DrawnNode } from '../model/graph.ts';
import { NodeIcon } from './node-icon.tsx';

export interface EditorNodeData extends Record<string, unknown> {
  readonly drawn: DrawnNode;
  readonly errors: number;
  readonly warnings: number;
  readonly mark?: Mark | undefined;
}

export type EditorFlowNode = Node<EditorNodeData, 'step'> & { readonly type: 'step' };

export const EditorNode = memo(function EditorNode({ id, data, selected }: NodeProps<EditorFlowNode>): ReactElement {
  const { drawn, errors, warnings, mark } = data;
  const { icon, kind, detail, title, inputs, outputs, isInitial, isContainer = false } = drawn;
  usePortsMeasured(id, JSON.stringify([inputs, outputs]));
  return (
    <div className="hd-node hd-editor-node" data-selected={selected} data-container={isContainer} data-mark={mark}>
      <Ports names={inputs} side="in" />
      <div className="hd-node-head">
        <NodeIcon icon={icon} />
        <span className="hd-node-title">{title}</span>
        {isInitial ? <span className="hd-editor-tag">start</span> : null}
        {mark === undefined ? null : <span className="hd-editor-tag">{mark}</span>}
        <ProblemCount errors={errors} warnings={warnings} />
      </div>
      <div className="hd-node-what">{detail === '' ? kind : `${kind} · ${detail}`}</div>
      <Ports names={outputs} side="out" />
    </div>
  );
});

/** Edges end where ports were measured: other ports than at first are measured again. */
function usePortsMeasured(id: string, ports: string): void {
  const measureAgain = useUpdateNodeInternals();
  const measured = useRef(ports);
  useEffect(() => {
    if (measured.current === ports) return;
    measured.current = ports;
    measureAgain(id);
  }, [measureAgain, id, ports]);
}

function ProblemCount({
  errors,
  warnings,
}: {
  readonly errors: number;
  readonly warnings: number;
}): ReactElement | null {
  if (errors + warnings === 0) return null;
  const text =
    errors > 0
      ? `${errors} ${errors === 1 ? 'error' : 'errors'}`
      : `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  return (
    <span
      className="hd-editor-count"
      data-look={errors > 0 ? 'failed' : 'waiting'}
      role="img"
      aria-label={text}
      title={text}
    >
      {errors > 0 ? '✕' : '!'} {errors > 0 ? errors : warnings}
    </span>
  );
}

interface PortsProps {
  readonly names: readonly string[] | null;
  readonly side: 'in' | 'out';
}

/** Where edges begin and end; named where there are several. */
function Ports({ names, side }: PortsProps): ReactElement {
  const how =
    side === 'in'
      ? ({ type: 'target', position: Position.Top } as const)
      : ({ type: 'source', position: Position.Bottom } as const);
  if (names === null) return <Handle {...how} />;
  return (
    <>
      {names.map((name, index) => (
        <Handle key={name} id={name} {...how} style={{ left: `${((index + 0.5) * 100) / names.length}%` }}>
          <span className="hd-editor-port" data-side={side}>
            {name}
          </span>
        </Handle>
      ))}
    </>
  );
}
