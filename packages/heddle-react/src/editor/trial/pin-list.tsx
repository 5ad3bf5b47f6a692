// PinList: what each node of the draft answers in a trial: made from its schema, by hand, or as in a past run; and where
// playing halts.

import type { Json } from 'heddle';
import { type ReactElement, useEffect, useId, useRef } from 'react';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Button } from '../../parts/button.tsx';
import { type NodePin, type PinnedOutcome, type Pins, pinnedByHand } from './pins.ts';
import { sampleOf } from './sample.ts';
import type { TrialNode } from './trial-graph.ts';

export interface PinListProps {
  readonly nodes: readonly TrialNode[];
  readonly pins: Pins;
  readonly pauses: readonly string[];
  /** The node whose turn it is. */
  readonly next: string | undefined;
  /** The node that somebody has picked in the drawing: its row is unfolded and in view. */
  readonly selected: string | null;
  readonly onPins: (pins: Pins) => void;
  readonly onPauses: (pauses: readonly string[]) => void;
}

export function PinList({ nodes, pins, pauses, next, selected, onPins, onPauses }: PinListProps): ReactElement {
  const change = (nodeId: string, pin: NodePin | undefined): void => {
    const { [nodeId]: _, ...others } = pins;
    onPins(pin === undefined ? others : { ...others, [nodeId]: pin });
  };
  if (nodes.length === 0)
    return <p className="hd-field-hint">No node of this draft does any work or asks for anything.</p>;
  return (
    <ul className="hd-pins">
      {nodes.map((node) => (
        <li key={node.nodeId}>
          <PinRow
            node={node}
            pin={Object.hasOwn(pins, node.nodeId) ? pins[node.nodeId] : undefined}
            isNext={node.nodeId === next}
            isSelected={node.nodeId === selected}
            isPause={pauses.includes(node.nodeId)}
            onPin={(pin) => change(node.nodeId, pin)}
            onPause={(isPause) =>
              onPauses(isPause ? [...pauses, node.nodeId] : pauses.filter((one) => one !== node.nodeId))
            }
          />
        </li>
      ))}
    </ul>
  );
}

interface PinRowProps {
  readonly node: TrialNode;
  readonly pin: NodePin | undefined;
  readonly isNext: boolean;
  readonly isSelected: boolean;
  readonly isPause: boolean;
  readonly onPin: (pin: NodePin | undefined) => void;
  readonly onPause: (isPause: boolean) => void;
}

function PinRow({ node, pin, isNext, isSelected, isPause, onPin, onPause }: PinRowProps): ReactElement {
  const { nodeId, kind, what } = node;
  const row = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isSelected || row.current === null) return;
    row.current.open = true;
    row.current.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <details ref={row} className="hd-pin" data-next={isNext}>
      <summary>
        <strong>{nodeId}</strong>
        <span className="hd-pin-what">{what}</span>
        {isPause ? <span className="hd-pin-badge">pause</span> : null}
        <span className="hd-pin-badge">{sourceOf(node, pin)}</span>
        {isNext ? <span className="hd-pin-badge">next</span> : null}
      </summary>
      <div className="hd-pin-body">
        {kind === 'action' || kind === 'workflow' ? (
          <label className="hd-check">
            <input type="checkbox" checked={isPause} onChange={({ target }) => onPause(target.checked)} />
            Pause at {nodeId}
          </label>
        ) : null}
        <Answer {...{ node, pin, onPin }} />
      </div>
    </details>
  );
}

function sourceOf({ kind, runsItself }: TrialNode, pin: NodePin | undefined): string {
  if (pin?.source === 'hand') return 'by hand';
  if (pin?.source === 'run') return 'from the run';
  if (runsItself) return 'runs';
  return kind === 'action' ? 'sample' : 'asks';
}

function Answer({ node, pin, onPin }: Pick<PinRowProps, 'node' | 'pin' | 'onPin'>): ReactElement {
  const { nodeId, kind, schema } = node;
  const isSampled = kind === 'action' && node.runsItself !== true;
  const sample: PinnedOutcome = { type: 'output', output: sampleOf(schema) };
  if (pin === undefined && !isSampled)
    return (
      <Button size="small" onClick={() => onPin(pinnedByHand(sample))}>
        Pin {kind === 'prompt' ? 'an answer' : 'an outcome'} for {nodeId}
      </Button>
    );
  const outcome = pin?.outcome ?? sample;
  const pinned = (next: PinnedOutcome): void => onPin(pinnedByHand(next));
  const visits = Object.values(pin?.visits ?? {}).flat().length;
  return (
    <>
      {visits > 1 ? (
        <p className="hd-field-hint">
          {visits} visits, each as in the run. The last is shown; what is written here counts for all.
        </p>
      ) : null}
      <OutcomeKind {...{ nodeId, outcome, sample }} onChange={pinned} />
      {outcome.type === 'output' ? (
        <SchemaForm
          schema={schema ?? true}
          value={outcome.output}
          label={`Output of ${nodeId}`}
          onChange={(output) => pinned({ type: 'output', output: output ?? null })}
        />
      ) : (
        <ErrorFields nodeId={nodeId} error={outcome.error} onChange={(error) => pinned({ type: 'error', error })} />
      )}
      {pin === undefined ? null : (
        <Button size="small" onClick={() => onPin(undefined)}>
          Unpin {nodeId}
        </Button>
      )}
    </>
  );
}

interface OutcomeKindProps {
  readonly nodeId: string;
  readonly outcome: PinnedOutcome;
  readonly sample: PinnedOutcome;
  readonly onChange: (outcome: PinnedOutcome) => void;
}

const firstError = { code: 'ACTION_FAILED', message: 'Expected an outcome, but the trial says that there is none' };

function OutcomeKind({ nodeId, outcome, sample, onChange }: OutcomeKindProps): ReactElement {
  const id = useId();
  return (
    <div className="hd-field">
      <label className="hd-field-label" htmlFor={id}>
        What {nodeId} does
      </label>
      <select
        id={id}
        className="hd-input"
        value={outcome.type}
        onChange={({ target }) => onChange(target.value === 'error' ? { type: 'error', error: firstError } : sample)}
      >
        <option value="output">gives an output</option>
        <option value="error">fails</option>
      </select>
    </div>
  );
}

type PinnedError = Extract<PinnedOutcome, { readonly type: 'error' }>['error'];

function ErrorFields(props: {
  readonly nodeId: string;
  readonly error: PinnedError;
  readonly onChange: (error: PinnedError) => void;
}): ReactElement {
  const { nodeId, error, onChange } = props;
  const schema = {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { type: 'string' }, message: { type: 'string' } },
  };
  const change = (value: Json | undefined): void => {
    const { code = '', message = '' } = (value ?? {}) as Partial<PinnedError>; // as the schema says
    onChange({ code, message });
  };
  return <SchemaForm schema={schema} value={{ ...error }} label={`Failure of ${nodeId}`} onChange={change} />;
}
