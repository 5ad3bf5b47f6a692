// State view: what a run had at a moment: input, state, output, what it asked and where its tokens were. And what changed
// between any two moments: one is pinned, the other is the one that the slider shows.

import type { Json, JsonObject } from 'heddle';
import { type ReactElement, useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Skeleton } from '../../parts/notice.tsx';
import { RunStatusMark, StatusMark } from '../../parts/status-mark.tsx';
import { TimeText } from '../../parts/time-text.tsx';
import type { RunFigures, RunReading } from '../run-source.ts';
import { Changes } from './changes.tsx';
import { stateAt } from './state-at.ts';
import { lookOfSpan } from './timeline-span.ts';

export interface StateViewProps {
  readonly reading: RunReading;
  readonly onSelectNode?: ((node: string) => void) | undefined;
}

export function StateView({ reading, onSelectNode }: StateViewProps): ReactElement {
  const { figures, fold } = reading;
  if (figures === null) return <Skeleton lines={6} label="Loading the state" />;
  return (
    <section className="hd-state" aria-label="State">
      <Difference reading={reading} figures={figures} />
      <p className="hd-state-status">
        <RunStatusMark status={figures.status} />
      </p>
      <div className="hd-state-values">
        <Value name="State" value={figures.state} />
        <Value name="Input" value={figures.input} />
        <Value name="Output" value={fold?.result ?? figures.output} />
      </div>
      <Prompts prompts={figures.prompts} />
      <Tokens reading={reading} onSelectNode={onSelectNode} />
    </section>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: Json }): ReactElement {
  return (
    <section className="hd-state-value">
      <h3>{name}</h3>
      <JsonView value={value} label={name.toLowerCase()} />
    </section>
  );
}

// ------------------------------------------------------------------------------------------------------ the difference

interface Pinned {
  readonly moment: number;
  readonly state: JsonObject;
}

interface DifferenceProps {
  readonly reading: RunReading;
  readonly figures: RunFigures;
}

/** Without a pinned moment: what the newest step has changed. */
function Difference({ reading, figures }: DifferenceProps): ReactElement {
  const { moment, length, events, isLarge } = reading;
  const [pinned, setPinned] = useState<Pinned | null>(null);
  const pin = (at: number): void => setPinned({ moment: at, state: stateAt(events, at) });
  const earlier = useMemo(
    () => (pinned === null ? stateAt(events, moment - 1) : pinned.state),
    [pinned, events, moment],
  );
  const isKnown = pinned !== null || !isLarge;
  return (
    <section className="hd-state-value" aria-label="Difference">
      <div className="hd-state-difference">
        <h3>{pinned === null ? 'Changed by this step' : `Changed between ${pinned.moment} and ${moment}`}</h3>
        {pinned === null ? (
          <Button size="small" onClick={() => setPinned({ moment, state: structuredClone(figures.state) })}>
            Compare from here
          </Button>
        ) : (
          <>
            {isLarge ? null : <PinnedField moment={pinned.moment} length={length} onChange={pin} />}
            <Button size="small" onClick={() => setPinned(null)}>
              Stop comparing
            </Button>
          </>
        )}
      </div>
      {isKnown ? (
        <Changes before={earlier} after={figures.state} />
      ) : (
        <p className="hd-json-note">Choose a moment to compare from, then move the slider.</p>
      )}
    </section>
  );
}

interface PinnedFieldProps {
  readonly moment: number;
  readonly length: number;
  readonly onChange: (moment: number) => void;
}

function PinnedField({ moment, length, onChange }: PinnedFieldProps): ReactElement {
  return (
    <label className="hd-state-pinned">
      from event{' '}
      <input
        type="number"
        className="hd-input"
        min={0}
        max={length}
        value={moment}
        onChange={({ currentTarget }) => {
          const next = currentTarget.valueAsNumber;
          if (Number.isInteger(next) && next >= 0 && next <= length) onChange(next);
        }}
      />
    </label>
  );
}

// -------------------------------------------------------------------------------------------------- prompts and tokens

function Prompts({ prompts }: { readonly prompts: RunFigures['prompts'] }): ReactElement | null {
  if (prompts.length === 0) return null;
  return (
    <section className="hd-state-value">
      <h3>Open prompts</h3>
      <ul className="hd-state-list">
        {prompts.map(({ correlationId, node, title, isAsked, since }) => (
          <li key={correlationId}>
            <StatusMark look="waiting" word={isAsked ? 'asked' : 'next in the queue'} /> {title ?? correlationId}{' '}
            <span className="hd-json-note">
              at {node}, <TimeText at={since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const tokensShown = 50;

function Tokens({ reading, onSelectNode }: StateViewProps): ReactElement | null {
  const { fold } = reading;
  if (fold === null) return null; // of a large run, the figures of its nodes say where they are
  const all = fold.run.tokens;
  const tokens = [...all.values()].slice(0, tokensShown);
  return (
    <section className="hd-state-value">
      <h3>Tokens</h3>
      {tokens.length === 0 ? <p className="hd-json-note">None lives at this moment.</p> : null}
      <ul className="hd-state-list">
        {tokens.map(({ id, node, status, attempt }) => (
          <li key={id}>
            <StatusMark look={lookOfSpan({ status })} word={status.replaceAll('_', ' ')} />{' '}
            <button type="button" className="hd-plain-link" onClick={() => onSelectNode?.(node)}>
              {node}
            </button>{' '}
            <span className="hd-json-note">
              #{id}
              {attempt > 1 ? `, attempt ${attempt}` : ''}
            </span>
          </li>
        ))}
      </ul>
      {all.size > tokens.length ? (
        <p className="hd-json-note">And {(all.size - tokens.length).toLocaleString('en')} more.</p>
      ) : null}
    </section>
  );
}
