// RunPage: one run: what happened, and why. What is selected, the moment and the tab are in the address.

import {
  DurationText,
  ErrorNotice,
  IdText,
  isUnreachable,
  MomentSlider,
  RunControls,
  RunDetails,
  type RunLinks,
  RunLinksProvider,
  type RunReading,
  type RunSelection,
  type RunSource,
  RunStatusMark,
  RunTimeline,
  readDetail,
  readSelection,
  SourceView,
  SummaryText,
  selectionParameters,
  selectNode,
  TimeText,
  useAnswer,
  useNow,
  useRunReading,
  useRunSource,
} from 'heddle-react';
import { type MouseEvent, type ReactElement, useEffect, useRef } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { addressOf, useParam } from '../addresses.ts';
import { CompareWith } from './compare-with.tsx';
import { ExportRun } from './export-run.tsx';
import './run-page.css';

const links: RunLinks = { run: addressOf.run, prompt: addressOf.prompt };

export function RunPage(): ReactElement {
  const runId = useParam('runId') ?? '';
  return <RunOfPage key={runId} runId={runId} />;
}

function RunOfPage({ runId }: { readonly runId: string }): ReactElement {
  const [, navigate] = useLocation();
  const [parameters, setParameters] = useSearchParams();
  const source = useRunSource(runId);
  const reading = useRunReading(source);
  useMomentInAddress(source.moveTo, reading);
  const selection = readSelection(parameters);
  const select = (next: RunSelection): void =>
    setParameters((current) => replaced(current, { ...noSelection, ...selectionParameters(next) }));
  return (
    <RunLinksProvider links={links}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: links stay links, for the keyboard too; they only need no reload */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same */}
      <div className="run-page" onClickCapture={(event) => followInside(event, navigate)}>
        <Header source={source} reading={reading} onStarted={(next) => navigate(addressOf.run(next))} />
        <SourceView source={source} selection={selection} onSelect={select}>
          <RunTimeline
            reading={reading}
            selected={selection.node === null ? null : { node: selection.node, token: selection.token }}
            onSelect={({ node, token }) => select({ ...selectNode(node), token })}
          />
          <MomentSlider source={source} reading={reading} onFailure={(node) => select(selectNode(node))} />
        </SourceView>
        {reading.run === null ? null : (
          <>
            <Subruns runId={runId} />
            <RunDetails
              source={source}
              reading={reading}
              shown={readDetail(parameters.get('tab'))}
              onShow={(tab) => setParameters((current) => replaced(current, { tab }))}
              onSelectNode={(node) => select(selectNode(node))}
            />
          </>
        )}
      </div>
    </RunLinksProvider>
  );
}

function Header({
  source,
  reading,
  onStarted,
}: {
  readonly source: RunSource;
  readonly reading: RunReading;
  readonly onStarted: (runId: string) => void;
}): ReactElement {
  const { run, figures, runId } = reading;
  return (
    <header className="run-header">
      <h1>{run === null ? 'Run' : <Link href={addressOf.workflow(run.workflow)}>{run.workflow}</Link>}</h1>
      {figures === null ? null : <RunStatusMark status={figures.status} />}
      <IdText id={runId} />
      {run === null ? null : (
        <>
          <span className="hd-muted">version {run.version}</span>
          <span className="hd-muted">
            started <TimeText at={run.createdAt} />, <Lasted from={run.createdAt} to={run.endedAt} />
          </span>
        </>
      )}
      {run === null || run.parentRunId === null ? null : (
        <Link href={addressOf.run(run.parentRunId)} className="hd-link">
          Parent run
        </Link>
      )}
      <div className="run-actions">
        {run === null ? null : (
          <Link href={`${addressOf.editor(run.workflow)}?run=${encodeURIComponent(runId)}`} className="hd-button">
            {figures?.status === 'failed' ? 'Debug in editor' : 'Try in editor'}
          </Link>
        )}
        {run === null ? null : (
          <>
            <CompareWith runId={runId} workflow={run.workflow} />
            <ExportRun source={source} reading={reading} />
          </>
        )}
        <RunControls reading={reading} onStarted={onStarted} />
      </div>
      <SummaryText reading={reading} />
    </header>
  );
}

/** Until now, as long as it has not ended. */
function Lasted({ from, to }: { readonly from: number; readonly to: number | null }): ReactElement {
  const now = useNow();
  return (
    <>
      {to === null ? 'so far' : 'took'} <DurationText ms={Math.max(0, (to ?? now) - from)} />
    </>
  );
}

const subrunsShown = 100;

/** Those that it has started itself; nothing if there are none. */
function Subruns({ runId }: { readonly runId: string }): ReactElement | null {
  const { data, error } = useAnswer('listRuns', { parentRunId: runId, limit: subrunsShown }, { everyMs: 5_000 });
  // That the server is gone is said once, above.
  if (error !== null && !isUnreachable(error)) return <ErrorNotice error={error} />;
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section className="run-subruns" aria-labelledby="run-subruns">
      <h2 id="run-subruns">Sub-runs{data.next === null ? '' : `, the newest ${subrunsShown}`}</h2>
      <ul>
        {data.items.map((run) => (
          <li key={run.runId}>
            <RunStatusMark status={run.status} />
            <Link href={addressOf.run(run.runId)} className="hd-link">
              {run.runId}
            </Link>
            <span className="hd-muted">{run.workflow}</span>
            <TimeText at={run.createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}

// ------------------------------------------------------------------------------------------------------- the address

const noSelection = { node: null, token: null, branch: null, subrun: null };

function replaced(current: URLSearchParams, values: Readonly<Record<string, string | null>>): URLSearchParams {
  const next = new URLSearchParams(current);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** Addresses are not written faster: browsers refuse that. */
const addressEveryMs = 400;

/** The moment of the address is shown, and the moment that is shown is in the address. */
function useMomentInAddress(moveTo: (moment: number | 'live') => void, { moment, isLive, phase }: RunReading): void {
  const [parameters, setParameters] = useSearchParams();
  const shown = useRef<string | null>(null);
  const asked = parameters.get('at');
  useEffect(() => {
    if (asked === shown.current) return;
    shown.current = asked;
    moveTo(asked !== null && /^\d{1,12}$/.test(asked) ? Number(asked) : 'live');
  }, [asked, moveTo]);
  useEffect(() => {
    if (phase === 'loading') return undefined;
    const timer = setTimeout(() => {
      const at = isLive ? null : String(moment);
      if (at === shown.current) return;
      shown.current = at;
      setParameters((current) => replaced(current, { at }), { replace: true });
    }, addressEveryMs);
    return () => clearTimeout(timer);
  }, [moment, isLive, phase, setParameters]);
}

/** Links of the components lead within the app. */
function followInside(event: MouseEvent, navigate: (to: string) => void): void {
  if (!(event.target instanceof Element) || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const anchor = event.target.closest('a');
  if (anchor === null || anchor.origin !== globalThis.location.origin || anchor.target !== '') return;
  event.preventDefault();
  navigate(`${anchor.pathname}${anchor.search}`);
}
