// NodeInspector: what is selected of a run, closely: a node with its executions and fan-outs, or one branch.

import type { GroupFigures } from 'heddle/journal';
import { type ReactElement, useId, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { LastingText } from '../parts/time-text.tsx';
import { BranchTable } from './branch-table.tsx';
import { branchValues } from './branch-values.ts';
import type { DrawnNode } from './drawing.ts';
import { ExecutionView, Part } from './execution-view.tsx';
import { joinNodes, markText, type NodeMark } from './node-marks.ts';
import { NodeWaits } from './node-waits.tsx';
import { isRunning, type RunReading, type RunSource } from './run-source.ts';
import type { RunSelection } from './selection.ts';
import { SummaryText } from './summary-text.tsx';
import { useVisits, type Visits } from './use-visits.ts';
import { lookOfVisit, type Visit, visitsIn, wordOfVisit } from './visits.ts';

export interface NodeInspectorProps {
  readonly source: RunSource;
  readonly reading: RunReading;
  readonly drawn: DrawnNode;
  readonly mark: NodeMark | undefined;
  readonly selection: RunSelection;
  readonly onSelect: (selection: RunSelection) => void;
}

export function NodeInspector(props: NodeInspectorProps): ReactElement {
  const { source, reading, drawn, mark, selection, onSelect } = props;
  const visits = useVisits(source, reading);
  const here = visits.visits.filter(({ node }) => node === drawn.id);
  const { branch } = selection;
  return (
    <>
      <h2>{drawn.title}</h2>
      <p className="hd-muted">
        {drawn.what}
        {drawn.title === drawn.id ? null : (
          <>
            {' '}
            <code>{drawn.id}</code>
          </>
        )}
      </p>
      <SummaryText reading={reading} node={drawn} />
      {mark && here.length !== 1 ? <StatusMark look={mark.look} word={markText(mark)} /> : null}
      {branch === null ? (
        <Groups {...props} visits={visits} />
      ) : (
        <BranchView
          {...props}
          visits={visits}
          branch={branch}
          onBack={() => onSelect({ ...selection, branch: null, token: null })}
        />
      )}
      {source.client !== null && reading.isLive && isWaiting(mark) ? (
        <NodeWaits runId={reading.runId} node={drawn.id} moment={reading.length} />
      ) : null}
      {branch === null ? <Executions {...props} visits={here} /> : null}
      <RetryPolicy drawn={drawn} />
    </>
  );
}

const isWaiting = (mark: NodeMark | undefined): boolean => mark?.look === 'waiting' || mark?.look === 'active';

// -------------------------------------------------------------------------------------------------------- executions

const executionsShown = 50;

/** One is shown whole; of many, those that failed come first, then the newest. */
function Executions({
  source,
  reading,
  visits,
  selection,
  onSelect,
}: NodeInspectorProps & { readonly visits: readonly Visit[] }): ReactElement | null {
  const [shown, setShown] = useState(executionsShown);
  const chosen = visits.length === 1 ? visits[0] : visits.find(({ token }) => token === selection.token);
  const openSubrun = (subrun: string): void => onSelect({ ...selection, subrun });
  const ordered = visits.toSorted((a, b) => rankOf(a) - rankOf(b) || b.token - a.token);
  if (visits.length === 0) return null;
  return (
    <>
      {visits.length === 1 ? null : (
        <Part title={`${visits.length.toLocaleString('en')} executions`}>
          <ul className="hd-executions">
            {ordered.slice(0, shown).map((visit) => (
              <li key={visit.token}>
                <VisitButton
                  visit={visit}
                  at={isRunning(reading) ? null : (reading.figures?.at ?? 0)}
                  isSelected={visit.token === selection.token}
                  onSelect={() => onSelect({ ...selection, token: visit.token })}
                />
              </li>
            ))}
          </ul>
          {visits.length > shown ? (
            <Button size="small" onClick={() => setShown(shown + executionsShown)}>
              Show more
            </Button>
          ) : null}
        </Part>
      )}
      {chosen ? <ExecutionView source={source} reading={reading} visit={chosen} onOpenSubrun={openSubrun} /> : null}
    </>
  );
}

const rankOf = ({ status }: Visit): number => Number(lookOfVisit(status) !== 'failed');

interface VisitButtonProps {
  readonly visit: Visit;
  /** Until when what has not ended has lasted; null: now. */
  readonly at: number | null;
  readonly isSelected: boolean;
  readonly withNode?: boolean;
  readonly onSelect: () => void;
}

function VisitButton({ visit, at, isSelected, withNode = false, onSelect }: VisitButtonProps): ReactElement {
  const { token, node, status, readyAt, endedAt, pathId, error } = visit;
  return (
    <button type="button" className="hd-visit" aria-current={isSelected} onClick={onSelect}>
      <StatusMark look={lookOfVisit(status)} word={wordOfVisit(status)} />
      <span className="hd-cut">{withNode ? node : `token ${token}${pathId === 'root' ? '' : `, ${pathId}`}`}</span>
      <LastingText from={readyAt} to={endedAt ?? at} />
      {error === null ? null : <span className="hd-visit-error hd-cut">{`${error.code}: ${error.message}`}</span>}
    </button>
  );
}

function RetryPolicy({ drawn: { written } }: { readonly drawn: DrawnNode }): ReactElement | null {
  const { retry, timeoutMs } = written;
  if (retry === undefined && timeoutMs === undefined) return null;
  return (
    <Part title="Retry policy">
      <JsonView
        value={{ ...(retry === undefined ? {} : { retry }), ...(timeoutMs === undefined ? {} : { timeoutMs }) }}
        label="retry policy"
      />
    </Part>
  );
}

// ---------------------------------------------------------------------------------------------------------- branches

/** The fan-outs that the node has made: one is shown, the newest unless another is chosen. */
function Groups(props: NodeInspectorProps & { readonly visits: Visits }): ReactElement | null {
  const { reading, drawn, visits, selection, onSelect } = props;
  const groups = reading.figures?.groups.filter(({ node }) => node === drawn.id) ?? [];
  const [chosen, setChosen] = useState<number | null>(null);
  const id = useId();
  const group = groups.find(({ instance }) => instance === chosen) ?? groups.at(-1);
  if (group === undefined) return null;
  const nodeOfJoin = reading.drawing === null ? group.join : joinNodes(reading.drawing)(group);
  return (
    <Part title={group.kind === 'batch' ? 'Batch' : 'Fan-out'}>
      {groups.length > 1 ? (
        <label htmlFor={id} className="hd-line">
          Which one
          <select
            id={id}
            className="hd-input"
            value={group.instance}
            onChange={({ target }) => setChosen(Number(target.value))}
          >
            {groups.map(({ instance, total }, place) => (
              <option key={instance} value={instance}>
                {`${place + 1} of ${groups.length}: ${total} branches`}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <p className="hd-muted">{joinSentence(group, nodeOfJoin)}</p>
      <BranchTable
        visits={visits}
        group={group.instance}
        total={group.total}
        at={reading.figures?.at ?? 0}
        isRunning={isRunning(reading)}
        onOpen={(index) => onSelect({ ...selection, branch: { group: group.instance, index } })}
      />
    </Part>
  );
}

function joinSentence(group: GroupFigures, node: string | null): string {
  const { join, required, arrived, stillPossible, ended, isJoined } = group;
  if (node === null) return 'No join waits for its branches.';
  if (join === null && isJoined) return `None of its branches came to ${node}.`;
  const figures = [
    `${arrived.toLocaleString('en')} arrived`,
    ...(isJoined ? [] : [`${stillPossible.toLocaleString('en')} may still come`]),
    `${ended.toLocaleString('en')} gone`,
  ].join(', ');
  // How many it needs is known when the first has come.
  const needed = join === null ? 'branches' : required === 'all' ? 'all branches' : `${required} branches`;
  return isJoined ? `Joined at ${node}: ${figures}.` : `${node} waits for ${needed}: ${figures}.`;
}

interface BranchViewProps extends NodeInspectorProps {
  readonly visits: Visits;
  readonly branch: NonNullable<RunSelection['branch']>;
  readonly onBack: () => void;
}

/** One branch: its path, what it has written, and any of its executions. */
function BranchView({ source, reading, visits, branch, selection, onSelect, onBack }: BranchViewProps): ReactElement {
  const path = visitsIn(visits.visits, branch.group, branch.index);
  const chosen = path.find(({ token }) => token === selection.token);
  const { item, writes } = branchValues(reading.events.slice(0, reading.moment), branch.group, branch.index);
  return (
    <Part title={`Branch #${branch.index}`}>
      <Button size="small" kind="quiet" onClick={onBack}>
        ← All branches
      </Button>
      <ol className="hd-executions" aria-label="Path of the branch">
        {path.map((visit) => (
          <li key={visit.token}>
            <VisitButton
              visit={visit}
              withNode
              at={isRunning(reading) ? null : (reading.figures?.at ?? 0)}
              isSelected={visit.token === selection.token}
              onSelect={() => onSelect({ ...selection, token: visit.token })}
            />
          </li>
        ))}
      </ol>
      {chosen ? (
        <ExecutionView
          source={source}
          reading={reading}
          visit={chosen}
          onOpenSubrun={(subrun) => onSelect({ ...selection, subrun })}
        />
      ) : null}
      {item === undefined ? null : (
        <Part title="Item">
          <JsonView value={item} label="item" />
        </Part>
      )}
      {reading.isLarge ? null : (
        <Part title="Written in it">
          <JsonView value={writes} label="what was written in the branch" />
        </Part>
      )}
    </Part>
  );
}
