// RunView: a run on its definition, live and at any moment: the graph or its outline, and the inspector of what is selected.

import { lazy, type ReactElement, type ReactNode, Suspense, useMemo, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { ErrorNotice, Notice, Skeleton } from '../parts/notice.tsx';
import { RunStatusMark } from '../parts/status-mark.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { drawGraph } from './drawing.ts';
import { Part } from './execution-view.tsx';
import { FailureView } from './failure-view.tsx';
import { NodeInspector } from './node-inspector.tsx';
import { marksOf, type NodeMark } from './node-marks.ts';
import { AnswerLink, RunLink } from './run-links.tsx';
import { RunOutline, type RunOutlineProps } from './run-outline.tsx';
import type { RunFigures, RunReading, RunSource } from './run-source.ts';
import { nothingSelected, type RunSelection, selectNode } from './selection.ts';
import { useRunReading, useRunSource } from './use-run-source.ts';

// The canvas is large; the outline needs none of it.
const RunGraph = lazy(async () => ({ default: (await import('./run-graph.tsx')).RunGraph }));

export interface RunViewProps {
  readonly runId: string;
  /** What is selected, where somebody else keeps it; otherwise it keeps it itself. */
  readonly selection?: RunSelection;
  readonly onSelect?: (selection: RunSelection) => void;
}

/** Of a run on the server of the provider. */
export function RunView({ runId, ...rest }: RunViewProps): ReactElement {
  return <SourceView source={useRunSource(runId)} {...rest} />;
}

export interface SourceViewProps extends Omit<RunViewProps, 'runId'> {
  readonly source: RunSource;
  /** What stands below the graph, such as a timeline. */
  readonly children?: ReactNode;
}

/** Of any source: one that several views share, or a journal alone. */
export function SourceView({ source, selection, onSelect, children }: SourceViewProps): ReactElement {
  const reading = useRunReading(source);
  const [own, setOwn] = useState(nothingSelected);
  const selected = selection ?? own;
  const select = onSelect ?? setOwn;
  const inspector = useRef<HTMLElement>(null);
  const { error, drawing, definition, figures } = reading;
  const graph = useMemo(
    () => (drawing === null || definition === null ? null : drawGraph(drawing, definition)),
    [drawing, definition],
  );
  const marks = useMemo(
    () => (figures === null || drawing === null ? noMarks : marksOf(figures, drawing)),
    [figures, drawing],
  );
  if (graph === null || figures === null)
    return error !== null ? (
      <ErrorNotice error={error} onRetry={source.resume} />
    ) : (
      <Skeleton lines={8} label="Reading the run" />
    );
  const selectOnly = (node: string | null): void => select(selectNode(node));
  const drawn = graph.nodes.find(({ id }) => id === selected.node);
  return (
    <div className="hd-run">
      {error === null ? null : <ErrorNotice error={error} onRetry={source.resume} />}
      {reading.connection === 'lost' ? <Lost /> : null}
      <div className="hd-run-panes">
        <div className="hd-run-main">
          <Drawing
            reading={reading}
            graph={graph}
            figures={figures}
            marks={marks}
            selected={selected.node}
            onSelect={selectOnly}
            onOpen={() => inspector.current?.focus()}
          />
          {children}
        </div>
        <aside ref={inspector} className="hd-run-inspector" aria-label="Inspector" tabIndex={-1}>
          {drawn === undefined ? (
            <RunSummaryView reading={reading} figures={figures} onSelect={selectOnly} />
          ) : (
            <NodeInspector
              key={drawn.id}
              {...{ source, reading, drawn, selection: selected, onSelect: select, mark: marks.get(drawn.id) }}
            />
          )}
        </aside>
      </div>
      {selected.subrun === null || source.client === null ? null : (
        <Subrun runId={selected.subrun} onClose={() => select({ ...selected, subrun: null })} />
      )}
    </div>
  );
}

const noMarks: ReadonlyMap<string, NodeMark> = new Map();

/** As a graph, or in lines: both take the same, and say the same. */
function Drawing({ reading, ...shown }: RunOutlineProps & { readonly reading: RunReading }): ReactElement {
  const [isOutline, setOutline] = useState(false);
  const View = isOutline ? RunOutline : RunGraph;
  return (
    <>
      <div className="hd-run-bar">
        <Button size="small" aria-pressed={isOutline} onClick={() => setOutline(!isOutline)}>
          Show as a list
        </Button>
        {reading.phase === 'loading' ? <span className="hd-muted">Reading the journal…</span> : null}
        {reading.isLarge ? (
          <span className="hd-muted">{shown.figures.events.toLocaleString('en')} events: shown by commits</span>
        ) : null}
      </div>
      <div className="hd-run-graph" data-outline={isOutline}>
        <Suspense fallback={<Skeleton lines={6} label="Loading the canvas" />}>
          <View {...shown} />
        </Suspense>
      </div>
    </>
  );
}

function Lost(): ReactElement {
  return (
    <Notice look="waiting" title="The connection to the server is lost. Trying again…">
      What is shown is as it was. Nothing will be missed.
    </Notice>
  );
}

/** W26: in place, with everything that a run has, its own sub-runs too. */
function Subrun({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }): ReactElement {
  return (
    <section className="hd-subrun" aria-label={`Sub-run ${runId}`}>
      <div className="hd-line">
        <h2>
          Sub-run <RunLink runId={runId}>{runId}</RunLink>
        </h2>
        <Button size="small" onClick={onClose}>
          Close
        </Button>
      </div>
      <RunView key={runId} runId={runId} />
    </section>
  );
}

interface RunSummaryProps {
  readonly reading: RunReading;
  readonly figures: RunFigures;
  readonly onSelect: (node: string) => void;
}

/** Nothing is selected: the run itself. */
function RunSummaryView({ reading, figures, onSelect }: RunSummaryProps): ReactElement {
  const { status, error, firstFailure, prompts, input, output } = figures;
  const failed = error?.nodeId ?? firstFailure?.node ?? null;
  return (
    <>
      <h2>Run</h2>
      <RunStatusMark status={status} />
      {error === null ? null : <FailureView failure={error} />}
      {failed === null ? null : (
        <div>
          <Button size="small" onClick={() => onSelect(failed)}>
            Show {failed}
          </Button>
        </div>
      )}
      {prompts.slice(0, 20).map(({ correlationId, node, title, since, isAsked }) => (
        <p key={correlationId} className="hd-line">
          <button type="button" className="hd-row-link" onClick={() => onSelect(node)}>
            {node}
          </button>
          {isAsked ? 'asks' : 'will ask'}: {title ?? 'a reply'} <TimeText at={since} />
          {isAsked && reading.isLive ? <AnswerLink correlationId={correlationId} /> : null}
        </p>
      ))}
      <Part title="Input">
        <JsonView value={input} label="input of the run" />
      </Part>
      {Object.keys(output).length === 0 ? null : (
        <Part title="Output">
          <JsonView value={output} label="output of the run" />
        </Part>
      )}
      <p className="hd-muted">Select a node to see its executions.</p>
    </>
  );
}
