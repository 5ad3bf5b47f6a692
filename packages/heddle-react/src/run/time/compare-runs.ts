// Compare runs: two runs visit by visit, aligned by where in the tree of fan-outs each visit was: the same node, the same path
// id, and the same count of visits there.
//
// Always true: every visit of either run is in the list once, in the order of the first run; what only the second has stands
// after what came before it there.

import type { Json } from 'heddle';
import type { RunEvent } from 'heddle/journal';
import { jsonDifference } from './json-difference.ts';
import { type TimelineSpan, timesOf } from './timeline-span.ts';

/** What is compared of a run. */
export interface ComparedRun {
  readonly spans: readonly TimelineSpan[];
  readonly events: readonly RunEvent[];
  /** Until when what lives counts. */
  readonly now: number;
}

export type Aspect = 'route' | 'status' | 'input' | 'output' | 'attempts' | 'duration';

export interface VisitFacts {
  readonly token: number;
  readonly status: string;
  readonly input: Json | undefined;
  readonly output: Json | undefined;
  readonly attempts: number;
  readonly workedMs: number;
  /** Nodes that it led to, with how often. */
  readonly next: string;
  readonly error: string | null;
}

export interface ComparedVisit {
  readonly key: string;
  readonly node: string;
  readonly pathId: string;
  /** Which visit of its node on its path it was, from 1. */
  readonly visit: number;
  readonly first: VisitFacts | null;
  readonly second: VisitFacts | null;
  /** In which they differ; `route` alone if only one run has it. */
  readonly aspects: readonly Aspect[];
}

export interface Comparison {
  readonly visits: readonly ComparedVisit[];
  /** The first that differs in more than how long it took; else the first that took much longer. */
  readonly firstDifference: ComparedVisit | null;
}

/** Work that took so much longer is told; less is the weather. */
const slowerFactor = 2;
const slowerMs = 100;

export function compareRuns(first: ComparedRun, second: ComparedRun): Comparison {
  const [earlier, later] = [factsOf(first), factsOf(second)];
  const visits = alignedKeys([...earlier.keys()], [...later.keys()]).map((key): ComparedVisit => {
    const [own, other] = [earlier.get(key) ?? null, later.get(key) ?? null];
    const { node, pathId, visit } = own ?? other ?? unknownPlace;
    return { key, node, pathId, visit, first: own, second: other, aspects: aspectsOf(own, other) };
  });
  const differing = visits.filter(({ aspects }) => aspects.length > 0);
  const isMore = ({ aspects }: ComparedVisit): boolean => aspects.some((aspect) => aspect !== 'duration');
  return { visits, firstDifference: differing.find(isMore) ?? differing[0] ?? null };
}

interface Place {
  readonly node: string;
  readonly pathId: string;
  readonly visit: number;
}

const unknownPlace: Place = { node: '', pathId: 'root', visit: 1 };

/** By key, in the order in which they were ready. */
function factsOf({ spans, events, now }: ComparedRun): ReadonlyMap<string, VisitFacts & Place> {
  const { inputs, outputs, next } = valuesIn(events);
  const counts = new Map<string, number>();
  const facts = new Map<string, VisitFacts & Place>();
  for (const span of spans.toSorted((a, b) => a.readyAt - b.readyAt || a.token - b.token)) {
    const { token, node, pathId, status, attempt, error } = span;
    const place = JSON.stringify([pathId, node]);
    const visit = (counts.get(place) ?? 0) + 1;
    counts.set(place, visit);
    facts.set(`${place} ${visit}`, {
      node,
      pathId,
      visit,
      token,
      status,
      input: inputs.get(token),
      output: outputs.get(token),
      attempts: attempt,
      workedMs: timesOf(span, now).workedMs,
      next: routeText(next.get(token)),
      error: error ? `${error.code}: ${error.message}` : null,
    });
  }
  return facts;
}

interface ValuesByToken {
  readonly inputs: ReadonlyMap<number, Json>;
  readonly outputs: ReadonlyMap<number, Json>;
  readonly next: ReadonlyMap<number, ReadonlyMap<string, number>>;
}

function valuesIn(events: readonly RunEvent[]): ValuesByToken {
  const inputs = new Map<number, Json>();
  const outputs = new Map<number, Json>();
  const next = new Map<number, Map<string, number>>();
  for (const event of events) {
    if (event.type === 'task.dispatched' && event.input !== undefined) inputs.set(event.token, event.input);
    else if (event.type === 'subworkflow.dispatched') inputs.set(event.token, event.input);
    else if (event.type === 'task.completed') outputs.set(event.token, event.output);
    else if (event.type === 'subworkflow.completed' && event.output !== undefined)
      outputs.set(event.token, event.output);
    else if (event.type === 'input.resumed' || event.type === 'event.received') outputs.set(event.token, event.payload);
    else if (event.type === 'token.created' && event.from !== undefined) {
      const nodes = next.get(event.from) ?? new Map<string, number>();
      nodes.set(event.node, (nodes.get(event.node) ?? 0) + (event.count ?? 1));
      next.set(event.from, nodes);
    }
  }
  return { inputs, outputs, next };
}

function routeText(nodes: ReadonlyMap<string, number> = new Map()): string {
  const sorted = [...nodes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([node, count]) => (count === 1 ? node : `${node} ×${count.toLocaleString('en')}`)).join(', ');
}

function aspectsOf(first: VisitFacts | null, second: VisitFacts | null): readonly Aspect[] {
  if (!first || !second) return ['route'];
  const differs: Readonly<Record<Aspect, boolean>> = {
    input: isOther(first.input, second.input),
    status: first.status !== second.status || first.error !== second.error,
    attempts: first.attempts !== second.attempts,
    output: isOther(first.output, second.output),
    route: first.next !== second.next,
    duration: isSlower(first.workedMs, second.workedMs),
  };
  return aspects.filter((aspect) => differs[aspect]);
}

/** In the order in which they come about. */
const aspects: readonly Aspect[] = ['input', 'status', 'attempts', 'output', 'route', 'duration'];

const isOther = (a: Json | undefined, b: Json | undefined): boolean => jsonDifference(a, b).changes.length > 0;

function isSlower(a: number, b: number): boolean {
  const [shorter, longer] = a < b ? [a, b] : [b, a];
  return longer - shorter >= slowerMs && longer >= shorter * slowerFactor;
}

/** All keys of the first in their order; those of the second alone after the one before them there. */
function alignedKeys(first: readonly string[], second: readonly string[]): readonly string[] {
  const places = new Map(first.map((key, place) => [key, place]));
  const ownOfSecond = new Map<number, string[]>();
  let place = -1;
  for (const key of second) {
    const known = places.get(key);
    if (known !== undefined) place = known;
    else ownOfSecond.set(place, [...(ownOfSecond.get(place) ?? []), key]);
  }
  const after = (at: number): readonly string[] => ownOfSecond.get(at) ?? [];
  return [...after(-1), ...first.flatMap((key, at) => [key, ...after(at)])];
}
