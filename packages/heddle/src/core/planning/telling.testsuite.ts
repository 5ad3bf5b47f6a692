// Telling: events and effects in few words, so that tests can compare whole lists that people can read.

import type { Effect, Message } from '../effects.ts';
import type { Event } from '../events.ts';

/** One event in few words: `2-4 b [1:0] created`. */
export function tell(event: Event): string {
  switch (event.type) {
    case 'token.created': {
      const last = event.count === undefined ? '' : `-${event.token + event.count - 1}`;
      const [group, index] = event.branch;
      return `${event.token}${last} created at ${event.node}${group === 0 ? '' : ` in ${group}:${index}`}`;
    }
    case 'token.completed':
      return `${event.token} completed`;
    case 'token.waiting':
      return `${event.token} waits for ${event.for}`;
    case 'tokens.completed':
    case 'tokens.cancelled':
    case 'tokens.timed_out':
    case 'tasks.lost':
    case 'tasks.offered':
      return `${event.tokens.join(',')} ${event.type.split('.')[1]}`;
    case 'task.dispatched':
      return `${event.token} handed out ${event.attempt}.${event.dispatch}`;
    case 'step.completed':
      return `${event.token} step ${event.step} completed`;
    case 'task.completed':
    case 'task.failed':
    case 'task.attempt_failed':
    case 'timer.fired':
    case 'subworkflow.dispatched':
    case 'subworkflow.completed':
    case 'subworkflow.timed_out':
    case 'subworkflow.suspended':
    case 'subworkflow.resumed':
    case 'workflow.result_set':
    case 'handle.unmatched':
    case 'batch.completed':
    case 'control.ignored':
    case 'input.queued':
    case 'input.requested':
    case 'input.resumed':
    case 'input.expired':
    case 'input_queue.joined':
    case 'input_queue.left':
    case 'event.awaited':
    case 'event.received':
      return `${event.token} ${event.type}`;
    case 'credits.requested':
    case 'credits.granted':
      return `${event.token ?? 'run'} ${event.type} ${event.amount}`;
    case 'subworkflow.ended_late':
      return event.type;
    case 'fan_out.started':
    case 'fan_in.completed':
    case 'fan_in.failed':
    case 'group.closed':
    case 'branches.detached':
      return `group ${event.group} ${event.type}`;
    case 'branch.ended':
      return `branch ${event.branch.join(':')} ended ${event.how}`;
    case 'branch.discarded':
    case 'branch.abandoned_failed':
      return `branch ${event.branch.join(':')} ${event.type.split('.')[1]}`;
    case 'context.updated':
    case 'branches.merged':
      return `${event.branch.join(':')} ${event.writes.map(([target, value]) => `${target}=${JSON.stringify(value)}`).join(' ')}`;
    case 'workflow.started':
    case 'workflow.restored':
    case 'workflow.completed':
    case 'workflow.failed':
    case 'workflow.cancelled':
    case 'workflow.timed_out':
    case 'workflow.exhausted':
    case 'workflow.suspended':
    case 'workflow.resumed':
    case 'workflow.paused':
    case 'workflow.unpaused':
    case 'workflow.held':
    case 'held.taken':
    case 'edges.settled':
    case 'edge_join.completed':
      return event.type;
  }
}

/** One effect in few words: `note prompt active`, `send CHILD input.grant`. */
export function tellEffect(effect: Effect): string {
  switch (effect.type) {
    case 'dispatch':
      return `dispatch ${effect.token}`;
    case 'abort':
      return `abort ${effect.token}`;
    case 'send':
      return `send ${effect.to} ${tellMessage(effect.message)}`;
    case 'note': {
      const { status } = (effect.value ?? {}) as { readonly status?: string };
      return `note ${effect.kind} ${effect.value === null ? 'removed' : (status ?? 'written')}`;
    }
    case 'listen':
      return `listen ${effect.token} ${effect.event} ${effect.correlation}`.trim();
    case 'charge':
      return effect.charge.type === 'settle'
        ? `settle ${effect.charge.spent}`
        : `reserve ${effect.charge.amount} for ${effect.charge.token ?? 'the run'}`;
  }
}

function tellMessage(message: Message): string {
  if (message.type === 'child.ended') return `child.ended ${message.status}`;
  return 'token' in message && message.token !== undefined ? `${message.type} ${message.token}` : message.type;
}
