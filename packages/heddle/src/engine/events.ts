// Events from outside, and those of all journals, a page at a time: the operations of `operations/events.ts`.

import { readFeed } from './feed.ts';
import { eventPage } from './inside.ts';
import type { Performers } from './performer.ts';
import { checkedPublication } from './publish.ts';

/** What nobody's run publishes. */
const outside = { runId: null, depth: 0 };

export const eventPerformers: Performers<'publishEvent' | 'listEvents'> = {
  async publishEvent({ host, publishEvent }, { name, payload, ...options }) {
    return publishEvent(checkedPublication(host.limits, [name, payload, options]), outside);
  },

  listEvents({ host }, { limit, ...where }) {
    return eventPage(readFeed(host, { ...where, follow: false }), limit, ({ feedId }) => feedId);
  },
};
