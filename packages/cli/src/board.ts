// Board: what happens in a run and the runs below it, kept up to date from their events, for whoever draws it.
//
// Always true: an event that was seen already changes nothing; tokens that only arrive at a join are told apart from
// visits, so that a node shows how often it ran; taking in an event costs the same however large the run is.

import { type Failure, isTerminal, type RunEvent, type TaskProgress } from 'heddle';
import { describeEvent } from './suspension.ts';
import { timeOf } from './terminal.ts';

export type Phase =
  | 'ready'
  | 'running'
  | 'retrying'
  | 'asking'
  | 'waiting'
  | 'arrived'
  | 'completed'
  | 'failed'
  | 'cancelled';

export interface BoardToken {
  readonly id: number;
  readonly node: string;
  /** Its place among its siblings; null outside a fan-out. */
  readonly branch: number | null;
  phase: Phase;
  attempt: number;
  /** When the phase began. */
  since: number;
  /** When it wakes by itself. */
  wakesAt: number | null;
  error: Failure | null;
  /** What it asks or waits for, in a few words. */
  note: string | null;
  /** The process that had it is gone. */
  wasLost: boolean;
  /** How far it says that it is, while it runs. */
  progress: TokenProgress | null;
}

export interface TokenProgress {
  /** From 0 to 1. */
  readonly fraction: number | null;
  readonly message: string | null;
}

export interface BoardNode {
  readonly id: string;
  readonly visits: Set<BoardToken>;
  /** Visits that have completed. */
  done: number;
  /** Visits that are to come from a fan-out. */
  expected: number;
  /** Tokens that wait here for their siblings. */
  readonly arrivals: Set<BoardToken>;
  /** Runs that were called from here. */
  readonly called: BoardRun[];
}

export interface BoardRun {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number;
  readonly startedAt: number;
  readonly parent: { readonly runId: string; readonly token: number } | null;
  readonly nodes: Map<string, BoardNode>;
  readonly tokens: Map<number, BoardToken>;
  status: string;
  endedAt: number | null;
  error: Failure | null;
}

/** An event is named by row and place; later ones have greater names. */
interface Position {
  readonly seq: number;
  readonly index: number;
}

export class Board {
  readonly runs = new Map<string, BoardRun>();
  readonly #seen = new Map<string, Position>();

  /** True if the event was new. */
  add(event: RunEvent): boolean {
    const position = { seq: event.seq, index: Number(event.id.split('.')[1]) };
    const seen = this.#seen.get(event.runId);
    if (seen && (seen.seq > position.seq || (seen.seq === position.seq && seen.index >= position.index))) return false;
    this.#seen.set(event.runId, position);
    if (event.type === 'workflow.started') this.#begin(event);
    else this.#change(event);
    return true;
  }

  /** Takes in how far a task is; null if nothing on the board runs it. */
  tell({ runId, tokenId, fraction, message }: TaskProgress): BoardToken | null {
    const token = this.runs.get(runId)?.tokens.get(tokenId);
    if (token?.phase !== 'running') return null;
    token.progress = { fraction, message };
    return token;
  }

  /** The id of the newest event that was seen of the run. */
  lastSeen(runId: string): string | undefined {
    const seen = this.#seen.get(runId);
    return seen && `${seen.seq}.${seen.index}`;
  }

  #begin({ runId, workflow, version, at, parent }: EventOf<'workflow.started'>): void {
    const run: BoardRun = {
      runId,
      workflow,
      version,
      startedAt: at,
      parent,
      nodes: new Map(),
      tokens: new Map(),
      status: 'running',
      endedAt: null,
      error: null,
    };
    this.runs.set(runId, run);
    const caller = parent && this.runs.get(parent.runId);
    const node = caller?.tokens.get(parent?.token ?? 0)?.node;
    if (caller && node !== undefined) nodeOf(caller, node).called.push(run);
  }

  #change(event: RunEvent): void {
    const run = this.runs.get(event.runId);
    if (!run) return;
    if (event.type.startsWith('workflow.')) changeRun(run, event);
    else if (event.type === 'token.created') create(run, event);
    else if (event.type === 'credits.requested' && event.token === undefined) run.status = 'submitted';
    else if (event.type === 'credits.granted' && event.token === undefined) run.status = 'running';
    else if (event.type === 'fan_out.started')
      for (const { node, count } of event.spawns) nodeOf(run, node).expected += count;
    else for (const [id, change] of changesOf(event)) changeToken(run, id, { since: event.at, ...change });
  }
}

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

function changeRun(run: BoardRun, event: RunEvent): void {
  if (event.type === 'workflow.paused') run.status = 'paused';
  if (event.type === 'workflow.suspended') run.status = 'suspended';
  if (event.type === 'workflow.unpaused' || event.type === 'workflow.resumed') run.status = 'running';
  if ('error' in event && event.error) run.error = event.error;
  const [, word = ''] = event.type.split('.');
  if (isTerminal(word)) Object.assign(run, { status: word, endedAt: event.at });
}

function nodeOf(run: BoardRun, id: string): BoardNode {
  const known = run.nodes.get(id);
  if (known) return known;
  const node: BoardNode = { id, visits: new Set(), done: 0, expected: 0, arrivals: new Set(), called: [] };
  run.nodes.set(id, node);
  return node;
}

function create(
  run: BoardRun,
  { token, node: id, branch: [group, index], count = 1, at }: EventOf<'token.created'>,
): void {
  const node = nodeOf(run, id);
  for (let i = 0; i < count; i++) {
    const created: BoardToken = {
      id: token + i,
      node: id,
      branch: group === 0 ? null : index + i,
      phase: 'ready',
      attempt: 1,
      since: at,
      wakesAt: null,
      error: null,
      note: null,
      wasLost: false,
      progress: null,
    };
    node.visits.add(created);
    run.tokens.set(created.id, created);
    if (node.expected > 0) node.expected--;
  }
}

type Change = Partial<BoardToken>;

type Changes = Iterable<readonly [number, Change]>;
type ChangeTable = { readonly [T in RunEvent['type']]?: (event: EventOf<T>) => Changes };

const one = ({ token }: { readonly token: number }, change: Change): Changes => [[token, change]];
const each = ({ tokens }: { readonly tokens: readonly number[] }, change: Change): Changes =>
  tokens.map((id) => [id, change] as const);

const goesOn: Change = { phase: 'ready', note: null, wakesAt: null };

function waits(event: EventOf<'token.waiting'>): Change {
  if (event.for === 'timer') return { phase: 'waiting', wakesAt: event.until };
  if (event.for === 'action')
    return { phase: 'waiting', note: `waits for the action "${event.action}", which is not available` };
  return event.for === 'batch' ? { phase: 'waiting', note: 'waits for its slices' } : { phase: 'arrived' };
}

export function describePrompt({ title, deadline }: EventOf<'input.requested'>): string {
  const until = deadline === undefined ? '' : ` (until ${timeOf(deadline)})`;
  return `${title === undefined ? 'asks for an answer' : `asks: ${title}`}${until}`;
}

/** What an event does to tokens that are there; the others do nothing. */
const changes: ChangeTable = {
  'task.dispatched': (event) => one(event, { phase: 'running', attempt: event.attempt, wakesAt: null, progress: null }),
  'task.attempt_failed': (event) => one(event, { phase: 'retrying', error: event.error, wakesAt: event.retryAt }),
  'task.failed': (event) => one(event, { phase: 'failed', error: event.error, wakesAt: null }),
  'tasks.lost': (event) => each(event, { phase: 'ready', wasLost: true }),
  'tasks.offered': (event) => each(event, goesOn),
  'token.waiting': (event) => one(event, waits(event)),
  'input.queued': (event) => one(event, { phase: 'waiting', note: 'waits for its turn to ask' }),
  'input.requested': (event) => one(event, { phase: 'asking', note: describePrompt(event) }),
  'input.resumed': (event) => one(event, goesOn),
  'event.awaited': (event) => one(event, { phase: 'waiting', note: `waits for the event ${describeEvent(event)}` }),
  'event.received': (event) => one(event, goesOn),
  'credits.requested': (event) =>
    event.token === undefined ? [] : [[event.token, { phase: 'waiting', note: 'waits for credits' }]],
  'credits.granted': (event) => (event.token === undefined ? [] : [[event.token, goesOn]]),
  'subworkflow.dispatched': (event) => one(event, { phase: 'waiting' }),
  'token.completed': (event) => one(event, { phase: 'completed', wakesAt: null }),
  'tokens.completed': (event) => each(event, { phase: 'completed', wakesAt: null }),
  'tokens.timed_out': (event) => each(event, { phase: 'failed', wakesAt: null }),
  'tokens.cancelled': (event) => each(event, { phase: 'cancelled', wakesAt: null }),
};

function changesOf(event: RunEvent): Changes {
  // The table is typed by the union: what it has under a type takes an event of that type.
  const change = changes[event.type] as ((event: RunEvent) => Changes) | undefined;
  return change?.(event) ?? [];
}

function changeToken(run: BoardRun, id: number, change: Change): void {
  const token = run.tokens.get(id);
  if (!token) return;
  const node = nodeOf(run, token.node);
  Object.assign(token, change);
  const isArrival = token.phase === 'arrived';
  if (isArrival) node.visits.delete(token);
  if (isArrival) node.arrivals.add(token);
  else node.arrivals.delete(token);
  if (token.phase === 'completed' && node.visits.has(token)) node.done++;
}
