// Tokens view: every token that a run ever had, folded from its journal. The state itself keeps only those that live.

import type { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { EncodedState } from '../apply/encoded-state.ts';
import type { BranchRef, Event, EventOf, GroupId, IterationCounts, TokenId } from '../events.ts';
import { makePathId, type PathPart } from '../path-id.ts';
import type { TokenStatus } from '../state.ts';

export type TokenViewStatus = TokenStatus | 'completed' | 'failed' | 'timed_out' | 'cancelled';

export interface TokenView {
  readonly id: TokenId;
  readonly node: string;
  readonly status: TokenViewStatus;
  /** The token it comes from; null for the root. */
  readonly from: TokenId | null;
  readonly via: string | null;
  readonly pathId: string;
  /** The innermost group that it is in. */
  readonly siblingGroup: string | null;
  readonly groupId: GroupId | null;
  readonly branchIndex: number;
  readonly branchTotal: number;
  readonly iterationCounts: IterationCounts;
  readonly attempt: number;
  readonly input?: Json;
  readonly output?: Json;
  readonly error?: Failure;
  /** The action that nobody has, and since when it waits for it. */
  readonly waitsFor?: { readonly action: string; readonly since: number };
  /** The finished steps of its task, in their order; absent if there is none. */
  readonly steps?: readonly string[];
  /** What its executor calls the wait that it is in. */
  readonly waitLabel?: string;
  readonly childRunId?: string;
  readonly arrivedAt?: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface TimedEvent {
  readonly at: number;
  readonly event: Event;
}

/** VW5: every token that ever was, with its place and its fate, in the order of creation. */
export function tokensOf(events: Iterable<TimedEvent>): TokenView[] {
  const history = new TokenHistory();
  for (const { at, event } of events) history.add(at, event);
  return [...history.tokens.values()].toSorted((a, b) => a.id - b.id);
}

interface GroupView extends PathPart {
  readonly name: string;
  readonly parent: BranchRef;
}

class TokenHistory {
  readonly tokens = new Map<TokenId, Mutable<TokenView>>();
  private readonly groups = new Map<GroupId, GroupView>();
  /** Those that a retry has taken over, by node. */
  private outputs: Readonly<Record<string, Json>> = {};

  add(at: number, event: Event): void {
    if (event.type === 'fan_out.started') {
      const { name, parent, node, total } = event;
      this.groups.set(event.group, { name, parent, node, index: 0, total });
    }
    if (event.type === 'workflow.restored') this.restore(at, event.state as unknown as EncodedState); // its own making
    if (event.type === 'token.created') this.create(at, event);
    if (event.type === 'token.completed') this.complete(event.token, at);
    if (event.type === 'tokens.completed') this.end(event.tokens, 'completed', at);
    if (event.type === 'tokens.cancelled') this.end(event.tokens, 'cancelled', at);
    if (event.type === 'tokens.timed_out') this.end(event.tokens, 'timed_out', at);
    if (event.type === 'task.failed') {
      this.change(event.token, { error: event.error });
      this.end([event.token], event.error.code === 'SUBWORKFLOW_TIMED_OUT' ? 'timed_out' : 'failed', at);
    }
    this.follow(at, event);
  }

  /** The tokens that a retry takes over keep their ids. */
  private restore(createdAt: number, { groups, tokens, outputs = {} }: EncodedState): void {
    this.outputs = outputs;
    for (const { id, name, parent, node, total } of groups)
      this.groups.set(id, { name, parent, node, index: 0, total });
    for (const { id, node, status, via, branch, iterations, attempt, input, steps, wait } of tokens) {
      this.tokens.set(id, {
        id,
        node,
        status,
        via,
        attempt,
        createdAt,
        from: null,
        endedAt: null,
        ...this.place(branch),
        iterationCounts: iterations ?? {},
        ...(input === undefined ? {} : { input }),
        ...(steps ? { steps: steps.map(({ step }) => step) } : {}),
        ...(wait?.label === undefined ? {} : { waitLabel: wait.label }),
      });
    }
  }

  private follow(at: number, event: Event): void {
    if (event.type === 'token.waiting') this.wait(at, event);
    if (event.type === 'task.dispatched') {
      const input = event.input === undefined ? {} : { input: event.input };
      this.change(event.token, { status: 'dispatched', attempt: event.attempt, ...input });
    }
    if (event.type === 'step.completed')
      this.change(event.token, { steps: [...(this.tokens.get(event.token)?.steps ?? []), event.step] });
    if (event.type === 'task.completed') this.change(event.token, { output: event.output });
    if (event.type === 'task.attempt_failed') this.change(event.token, { status: 'retrying', error: event.error });
    if (event.type === 'tasks.lost' || event.type === 'tasks.offered')
      for (const id of event.tokens) this.change(id, { status: 'ready' });
    if (event.type === 'subworkflow.dispatched') {
      this.change(event.token, {
        status: 'waiting_for_subworkflow',
        childRunId: event.childRunId,
        input: event.input,
        attempt: event.attempt,
      });
    }
    if (event.type === 'subworkflow.completed' && event.output !== undefined)
      this.change(event.token, { output: event.output });
    this.followOthers(event);
  }

  /** Waits for people, for events, for credits. */
  private followOthers(event: Event): void {
    if (event.type === 'input.queued' || event.type === 'input.requested')
      this.change(event.token, { status: 'waiting_for_input' });
    if (event.type === 'event.awaited') this.change(event.token, { status: 'waiting_for_event' });
    if (event.type === 'input.resumed' || event.type === 'event.received')
      this.change(event.token, { status: 'ready', output: event.payload });
    if (event.type === 'batch.completed' && event.output !== undefined)
      this.change(event.token, { output: event.output });
    if (event.type === 'credits.requested' && event.token !== undefined)
      this.change(event.token, { status: 'waiting_for_credits' });
    if (event.type === 'credits.granted' && event.token !== undefined) this.change(event.token, { status: 'ready' });
  }

  private wait(at: number, event: EventOf<'token.waiting'>): void {
    const status = `waiting_for_${event.for}` as const;
    // EX25: a token that waits for an action says for which, and since when.
    if (event.for === 'action') this.change(event.token, { status, waitsFor: { action: event.action, since: at } });
    else if (event.for === 'siblings')
      this.change(event.token, { status, arrivedAt: event.arrivedAt, ...this.place(event.branch) });
    // HN46: as long as a wait lasts, its token has its label.
    else if (event.for === 'timer' && event.label !== undefined)
      this.change(event.token, { status, waitLabel: event.label });
    else this.change(event.token, { status });
  }

  private create(at: number, event: EventOf<'token.created'>): void {
    const [group, first] = event.branch;
    for (let i = 0; i < (event.count ?? 1); i++) {
      this.tokens.set(event.token + i, {
        id: event.token + i,
        node: event.node,
        status: 'ready',
        from: event.from ?? null,
        via: event.via ?? null,
        ...this.place([group, event.count === undefined ? first : first + i]),
        iterationCounts: event.iterations ?? {},
        attempt: 1,
        createdAt: at,
        endedAt: null,
      });
    }
  }

  private place([id, index]: BranchRef): Pick<
    TokenView,
    'pathId' | 'siblingGroup' | 'groupId' | 'branchIndex' | 'branchTotal'
  > {
    const group = this.groups.get(id);
    return {
      pathId: makePathId(this.partsOf([id, index])),
      siblingGroup: group?.name ?? null,
      groupId: group ? id : null,
      branchIndex: group ? index : 0,
      branchTotal: group?.total ?? 1,
    };
  }

  private partsOf(branch: BranchRef): PathPart[] {
    const parts: PathPart[] = [];
    let [id, index] = branch;
    for (let group = this.groups.get(id); group; group = this.groups.get(id)) {
      parts.push({ ...group, index });
      [id, index] = group.parent;
    }
    return parts.toReversed();
  }

  /** A node whose output was taken over (ND6) was not handed out. */
  private complete(id: TokenId, endedAt: number): void {
    const token = this.tokens.get(id);
    const isTakenOver = token?.input === undefined && Object.hasOwn(this.outputs, token?.node ?? '');
    const output = isTakenOver ? this.outputs[token?.node ?? ''] : undefined;
    this.change(id, { status: 'completed', endedAt, ...(output === undefined ? {} : { output }) });
  }

  private end(ids: readonly TokenId[], status: TokenViewStatus, endedAt: number): void {
    for (const id of ids) this.change(id, { status, endedAt });
  }

  private change(id: TokenId, change: Partial<Mutable<TokenView>>): void {
    const token = this.tokens.get(id);
    if (!token) return;
    Object.assign(token, change);
    if (token.status !== 'waiting_for_action') delete token.waitsFor;
    if (token.status !== 'waiting_for_timer') delete token.waitLabel;
  }
}
