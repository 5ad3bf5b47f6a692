// TrialPanel: a draft is tried where it is drawn: its input and its pins on one side, the run as it moves on the other.
//
// Always true: once it is open it needs no server: what a trial runs in, and what it knows of actions, is in the page.

import type { JsonObject } from 'heddle';
import { type Drawing, RunFold } from 'heddle/journal';
import { lazy, type ReactElement, Suspense, useEffect, useMemo, useState } from 'react';
import { useAnswer } from '../../connection/connection.tsx';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { ErrorNotice, Notice, Skeleton } from '../../parts/notice.tsx';
import { exactText } from '../../parts/time-text.tsx';
import { drawGraph } from '../../run/drawing.ts';
import type { NodeMark } from '../../run/node-marks.ts';
import { figuresOf } from '../../run/run-source.ts';
import { SourceView } from '../../run/run-view.tsx';
import { MomentSlider } from '../../run/time/moment-slider.tsx';
import { useRunReading } from '../../run/use-run-source.ts';
import { PinList } from './pin-list.tsx';
import { TrialAsks } from './trial-asks.tsx';
import { TrialBar } from './trial-bar.tsx';
import type { TrialSource } from './trial-source.ts';
import type { TrialView } from './trial-view.ts';
import { type OpenTrial, useKnownDraft, useTrial, useTrialState } from './use-trial.ts';
import { type Choose, type ChosenData, inputSchemaOf, type TriedDraft, useTrialData } from './use-trial-data.ts';

// Loaded with the worker: see `useTrial`.
const RunGraph = lazy(async () => ({ default: (await import('../../run/run-graph.tsx')).RunGraph }));

export type TrialPanelProps = TriedDraft;

export function TrialPanel(props: TrialPanelProps): ReactElement {
  const trial = useTrial();
  return (
    <section className="hd-trial" aria-label="Try it">
      {trial === null ? <Skeleton lines={4} label="Loading the engine" /> : <Panel {...props} trial={trial} />}
    </section>
  );
}

/** So many node types are known of. */
const typesMax = 1_000;
const noTypes = [] as const;

function Panel({ trial, ...draft }: TrialPanelProps & { readonly trial: OpenTrial }): ReactElement {
  const { workflow, definition } = draft;
  const { session } = trial;
  const state = useTrialState(trial);
  const { data: types } = useAnswer('listNodeTypes', { limit: typesMax });
  const catalogue = types?.items ?? noTypes;
  const { graph, called, error } = useKnownDraft(trial, { definition, catalogue });
  const [chosen, choose] = useTrialData(draft);
  const [started, setStarted] = useState<JsonObject | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const { pins, pauses, input } = chosen;
  useEffect(() => void session.change({ pins, pauses }), [session, pins, pauses]);
  const start = (): void => {
    setStarted(definition);
    const setup = { definition, definitions: called, catalogue, pins, pauses, input, startsAt: Date.now() };
    void session.start(setup);
  };
  return (
    <>
      <TrialBar {...{ state, session }} refusal={refusalOf(graph)} onStart={start} />
      <div className="hd-trial-body">
        <div className="hd-trial-setup">
          <PastRunChoice {...{ workflow, chosen, choose }} />
          <SchemaForm
            schema={inputSchemaOf(definition)}
            value={input}
            label="Input"
            onChange={(value) => choose({ input: value ?? null })}
          />
          <h3>Outcomes</h3>
          <PinList
            nodes={graph?.nodes ?? []}
            {...{ pins, pauses }}
            next={state.view?.next.nodeId}
            selected={state.source === null ? selected : null}
            onPins={(next) => choose({ pins: next })}
            onPauses={(next) => choose({ pauses: next })}
          />
        </div>
        <div className="hd-trial-stage">
          <Wrong error={error} />
          <Wrong error={state.error} />
          <Wrong error={chosen.error} />
          {started !== null && started !== definition ? (
            <Notice look="waiting" title="The draft has changed. This trial runs it as it was: start again." />
          ) : null}
          {state.view === null ? null : <TrialAsks view={state.view} session={session} />}
          {state.view === null ? null : <NextCall view={state.view} />}
          {state.source === null ? (
            <NotStarted {...{ definition, selected, onSelect: setSelected }} drawing={graph?.drawing ?? null} />
          ) : (
            <TrialRun key={state.view?.runId} source={state.source} />
          )}
        </div>
      </div>
    </>
  );
}

interface NotStartedProps {
  readonly definition: JsonObject;
  readonly drawing: Drawing | null;
  readonly selected: string | null;
  readonly onSelect: (node: string | null) => void;
}

/** The draft as it will run: a node leads to its outcome. */
function NotStarted({ definition, drawing, selected, onSelect }: NotStartedProps): ReactElement {
  const graph = useMemo(() => (drawing === null ? null : drawGraph(drawing, definition)), [drawing, definition]);
  return (
    <>
      <p className="hd-field-hint">
        Nothing has run yet. Start runs this draft in your browser, with the input and the outcomes beside it. Time
        passes at once.
      </p>
      {graph === null ? null : (
        <div className="hd-run-graph">
          <Suspense fallback={<Skeleton lines={6} label="Loading the canvas" />}>
            <RunGraph
              {...{ graph, selected, onSelect }}
              label="Draft"
              figures={nothingRan}
              marks={noMarks}
              onOpen={() => undefined}
            />
          </Suspense>
        </div>
      )}
    </>
  );
}

const nothingRan = figuresOf(new RunFold());
const noMarks: ReadonlyMap<string, NodeMark> = new Map();

function TrialRun({ source }: { readonly source: TrialSource }): ReactElement {
  const reading = useRunReading(source);
  return (
    <SourceView source={source}>
      <MomentSlider {...{ source, reading }} />
    </SourceView>
  );
}

const Wrong = ({ error }: { readonly error: unknown }): ReactElement | null =>
  error === null ? null : <ErrorNotice error={error} />;

function refusalOf(graph: ReturnType<typeof useKnownDraft>['graph']): string | null {
  if (graph === null) return 'Reading the draft…';
  const errors = graph.problems.filter(({ severity }) => severity === 'error');
  return errors.length === 0 ? null : `The draft has errors: ${errors[0]?.message ?? ''}`;
}

const runsOffered = 20;

function PastRunChoice(props: {
  readonly workflow: string;
  readonly chosen: ChosenData;
  readonly choose: Choose;
}): ReactElement {
  const { workflow, chosen, choose } = props;
  const { data } = useAnswer('listRuns', { workflow, limit: runsOffered });
  const runs = data?.items ?? [];
  const isListed = chosen.runId === null || runs.some(({ runId }) => runId === chosen.runId);
  return (
    <label className="hd-field">
      <span className="hd-field-label">Take input and outcomes from</span>
      <select
        className="hd-input"
        value={chosen.runId ?? ''}
        onChange={({ target }) => choose(target.value === '' ? { runId: null, pins: {} } : { runId: target.value })}
      >
        <option value="">samples made from schemas</option>
        {isListed ? null : <option value={chosen.runId ?? ''}>{`run ${chosen.runId ?? ''}`}</option>}
        {runs.map((run) => (
          <option key={run.runId} value={run.runId}>
            {`run ${run.runId} (${run.status}, ${exactText(run.createdAt)})`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The task whose turn it is: what it is given, and what it will answer. */
function NextCall({ view: { calls } }: { readonly view: TrialView }): ReactElement | null {
  const [call] = calls;
  if (call === undefined) return null;
  const { nodeId, action, attempt, input, answer } = call;
  return (
    <section className="hd-trial-call" aria-label={`Next task: ${nodeId}`}>
      <strong>
        {nodeId} calls {action}
        {attempt > 1 ? `, attempt ${attempt}` : ''}
      </strong>
      <div>
        <span className="hd-field-hint">Input</span>
        <JsonView value={input} label={`input of ${nodeId}`} />
      </div>
      <div>
        <span className="hd-field-hint">{announcements[answer.type]}</span>
        {answer.type === 'own' ? null : (
          <JsonView
            value={answer.type === 'output' ? answer.output : { ...answer.error }}
            label={`answer of ${nodeId}`}
          />
        )}
      </div>
    </section>
  );
}

const announcements = {
  output: 'Will give',
  error: 'Will fail with',
  own: 'Built in and not pinned: it does its own work',
} as const;
