// PlainGraph: the drawing of a run as plain SVG, for where a canvas would be too large. The same places, names and figures.

import type { Drawing, EdgeView } from 'heddle/journal';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { layOut, type Point } from '../canvas/layout.ts';
import { nodeSize } from '../canvas/node-box.tsx';
import { StatusShape } from '../parts/status-mark.tsx';
import { type DrawnEdge, type DrawnGraph, type DrawnNode, isPlaced } from '../run/drawing.ts';
import { marksOf, type NodeMark } from '../run/node-marks.ts';
import type { RunFigures } from '../run/run-source.ts';

export interface PlainGraphProps {
  readonly graph: DrawnGraph;
  readonly drawing: Drawing;
  readonly figures: RunFigures;
  readonly selected: string | null;
  readonly onSelect: (node: string) => void;
}

type Places = ReadonlyMap<string, Point>;

const margin = 16;
/** Labels of edges stand to their right. */
const labelRoom = 120;

export function PlainGraph({ graph, drawing, figures, selected, onSelect }: PlainGraphProps): ReactElement | null {
  const places = usePlaces(graph);
  const marks = useMemo(() => marksOf(figures, drawing), [figures, drawing]);
  const taken = new Map(figures.edges.map((edge) => [edge.edgeId, edge]));
  if (places === null) return null;
  const { x, y, width, height } = frameOf(places);
  return (
    <div className="hd-plain-graph" role="group" aria-label="Graph">
      <svg viewBox={`${x} ${y} ${width} ${height}`} width={width} height={height}>
        {graph.edges.map((edge) => (
          <EdgeLine key={edge.id} edge={edge} places={places} taken={taken.get(edge.id)} />
        ))}
        {graph.nodes.map((node) => (
          <NodeRect
            key={node.id}
            node={node}
            place={places.get(node.id)}
            mark={marks.get(node.id)}
            isSelected={node.id === selected}
            onSelect={onSelect}
          />
        ))}
      </svg>
    </div>
  );
}

/** As their author has placed them, or laid out. */
function usePlaces(graph: DrawnGraph): Places | null {
  const [places, setPlaces] = useState<Places | null>(null);
  useEffect(() => {
    if (isPlaced(graph)) return setPlaces(writtenPlaces(graph));
    let isWanted = true;
    void layOut(
      graph.nodes.map(({ id }) => ({ id, ...nodeSize })),
      graph.edges,
    ).then((found) => isWanted && setPlaces(found));
    return () => {
      isWanted = false;
    };
  }, [graph]);
  return places;
}

/** What lies in a container is placed within it. */
function writtenPlaces({ nodes }: DrawnGraph): Places {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const placeOf = (node: DrawnNode): Point => {
    let [{ x, y }, container] = [node.position ?? { x: 0, y: 0 }, node.container];
    for (const passed = new Set([node.id]); container !== null && !passed.has(container); ) {
      passed.add(container);
      const around = byId.get(container);
      x += around?.position?.x ?? 0;
      y += around?.position?.y ?? 0;
      container = around?.container ?? null;
    }
    return { x, y };
  };
  return new Map(nodes.map((node) => [node.id, placeOf(node)]));
}

function frameOf(places: Places): Point & { readonly width: number; readonly height: number } {
  const [xs, ys] = [[...places.values()].map(({ x }) => x), [...places.values()].map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [right, bottom] = [Math.max(...xs) + nodeSize.width, Math.max(...ys) + nodeSize.height];
  return {
    x: left - margin,
    y: top - margin,
    width: right - left + margin * 2 + labelRoom,
    height: bottom - top + margin * 2,
  };
}

interface EdgeLineProps {
  readonly edge: DrawnEdge;
  readonly places: Places;
  readonly taken: EdgeView | undefined;
}

function EdgeLine({ edge, places, taken }: EdgeLineProps): ReactElement | null {
  const [from, to] = [places.get(edge.from), places.get(edge.to)];
  if (!from || !to) return null;
  const [x, y] = [from.x + nodeSize.width / 2, from.y + nodeSize.height];
  const [endX, endY] = [to.x + nodeSize.width / 2, to.y];
  const bend = Math.max(24, Math.abs(endY - y) / 2);
  const times = taken?.taken ?? 0;
  return (
    <g className="hd-plain-edge" data-taken={times > 0}>
      <path d={`M${x} ${y}C${x} ${y + bend} ${endX} ${endY - bend} ${endX} ${endY - 6}`} />
      <path d={`M${endX - 4} ${endY - 7}h8l-4 7z`} className="hd-plain-arrow" />
      <text x={(x + endX) / 2 + 6} y={(y + endY) / 2}>
        {[edge.label, times > 1 ? `${times.toLocaleString('en')}×` : ''].filter((part) => part !== '').join(' · ')}
      </text>
    </g>
  );
}

interface NodeRectProps {
  readonly node: DrawnNode;
  readonly place: Point | undefined;
  readonly mark: NodeMark | undefined;
  readonly isSelected: boolean;
  readonly onSelect: (node: string) => void;
}

function NodeRect({ node, place, mark, isSelected, onSelect }: NodeRectProps): ReactElement {
  const { id, title, what } = node;
  const look = mark?.look ?? 'idle';
  const counts = (mark?.counts ?? []).map(({ count, word }) => `${count.toLocaleString('en')} ${word}`).join(', ');
  return (
    <foreignObject x={place?.x ?? 0} y={place?.y ?? 0} width={nodeSize.width} height={nodeSize.height}>
      <button
        type="button"
        className="hd-plain-node"
        data-look={look}
        aria-pressed={isSelected}
        aria-label={`${title}: ${mark?.word ?? 'not reached'}${counts === '' ? '' : `, ${counts}`}`}
        onClick={() => onSelect(id)}
      >
        <span className="hd-plain-title">
          <StatusShape look={look} /> {title}
        </span>
        <span className="hd-plain-what">{what}</span>
        <span className="hd-plain-counts">{counts}</span>
      </button>
    </foreignObject>
  );
}
