// Projections: our status words in the words of other engines that users may come from.

import type { TokenViewStatus } from './tokens.ts';

export type ClassicTokenStatus = 'active' | 'waiting_at_fan_in' | 'waiting' | 'completed' | 'cancelled' | 'failed';

/** VW3: five words for a token: active, waiting (at a fan-in or otherwise), completed, cancelled, failed. */
export function classicTokenStatus(status: TokenViewStatus): ClassicTokenStatus {
  switch (status) {
    case 'ready':
    case 'dispatched':
      return 'active';
    case 'waiting_for_siblings':
    case 'waiting_for_edges':
      return 'waiting_at_fan_in';
    case 'retrying':
    case 'waiting_for_timer':
    case 'waiting_for_subworkflow':
    case 'waiting_for_input':
    case 'waiting_for_event':
    case 'waiting_for_batch':
    case 'waiting_for_credits':
    case 'waiting_for_action':
      return 'waiting';
    case 'failed':
    case 'timed_out':
      return 'failed';
    case 'completed':
    case 'cancelled':
      return status;
  }
}
