// Inside: looks into a run, and what it would do: the operations of `operations/inside.ts`.

import { pageArtifacts } from '../actor/artifacts.ts';
import { copyJson } from '../base/copy-json.ts';
import { statusOf } from '../core/views/status.ts';
import { type TokenView, tokensOf } from '../core/views/tokens.ts';
import { askedPage, itemsPerPage, slicedPage } from '../operations/pages.ts';
import type { Page } from '../operations/parts.ts';
import type { TokenInfo } from '../operations/run-views.ts';
import { readDataflow, readExecution, readThreads } from './dialect-views.ts';
import { explainEvent } from './explain-run.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import type { Performers } from './performer.ts';
import { readEvents, readHistory } from './read-events.ts';
import { readTrace } from './read-trace.ts';
import { replayRun } from './replay-run.ts';
import { restoreSnapshot } from './restore-snapshot.ts';
import { pageNodes, readEdges, readRunView } from './run-view.ts';
import { simulateRouting, simulateSynchronization } from './simulate-run.ts';
import { takeSnapshot } from './snapshot.ts';
import { readStateAt } from './state-at.ts';
import { pageWaits } from './waits.ts';

export const insidePerformers: Performers<
  | 'getState'
  | 'getStateAt'
  | 'getRunView'
  | 'listWaits'
  | 'listTokens'
  | 'listNodes'
  | 'listEdges'
  | 'listRunEvents'
  | 'listRunTrace'
  | 'getExecution'
  | 'getDataflow'
  | 'getThreads'
  | 'getSnapshot'
  | 'restoreRun'
  | 'simulateRouting'
  | 'explainEvent'
  | 'replayRun'
  | 'listGroups'
  | 'listRunArtifacts'
> = {
  getState({ host }, { runId }) {
    return host.inbox.read(runId, (state) => ({
      runId,
      status: statusOf(state),
      input: copyJson(state.run?.input ?? null),
      state: copyJson(state.root.context?.state ?? {}),
      output: copyJson(state.root.context?.output ?? {}),
    }));
  },

  getStateAt({ host }, { runId, eventId }) {
    return readStateAt(host, runId, eventId);
  },

  getRunView({ host }, { runId, eventId }) {
    return readRunView(host, runId, eventId);
  },

  listWaits(parts, { runId, ...paging }) {
    return pageWaits(parts, runId, paging);
  },

  async listTokens({ host }, { runId, ...paging }) {
    return slicedPage(await readTokens(host, runId), paging, ({ id }) => String(id));
  },

  listNodes({ host }, { runId, ...paging }) {
    return pageNodes(host, runId, paging);
  },

  async listEdges({ host }, { runId, ...paging }) {
    return slicedPage(await readEdges(host, runId), paging, ({ edgeId }) => edgeId);
  },

  async listRunEvents({ host }, { runId, limit, ...place }) {
    await mustReadRun(host.store, runId); // a run that is not there is told
    return eventPage(readEvents(host, runId, { ...place, follow: false }), limit);
  },

  listRunTrace({ host }, { runId, limit, ...place }) {
    return eventPage(readTrace(host, runId, { ...place, follow: false }), limit);
  },

  getExecution({ host }, { runId }) {
    return readExecution(host, runId);
  },

  getDataflow({ host }, { runId }) {
    return readDataflow(host, runId);
  },

  getThreads({ host }, { runId }) {
    return readThreads(host, runId);
  },

  getSnapshot({ host }, { runId }) {
    return takeSnapshot(host, runId);
  },

  async restoreRun({ host, trustedSnapshotKeys }, { snapshot }) {
    return { runId: await restoreSnapshot(host, snapshot, trustedSnapshotKeys) };
  },

  simulateRouting({ host }, request) {
    return simulateRouting(host, request);
  },

  explainEvent({ host }, { runId, eventId, ...whatIf }) {
    return explainEvent(host, runId, eventId, whatIf);
  },

  replayRun({ host }, { runId, ...options }) {
    return replayRun(host, runId, options);
  },

  listGroups({ host }, { runId, at }) {
    return simulateSynchronization(host, runId, at);
  },

  listRunArtifacts({ host }, { runId, ...paging }) {
    return askedPage(
      paging,
      (page) => pageArtifacts(host.store, runId, page),
      ({ id }) => id,
    );
  },
};

async function readTokens(host: Host, runId: string): Promise<readonly TokenInfo[]> {
  const { store, definitions } = host;
  const { workflow, version } = await mustReadRun(store, runId);
  const graph = await definitions.find(workflow, version);
  // VW8: a node that a compiler made is not shown.
  const isShown = ({ node }: TokenView): boolean => node !== graph?.policy.hiddenNode;
  const tokens = tokensOf(await readHistory(store, runId)).filter(isShown);
  return tokens.map((token) => {
    const progress = host.progressOf(runId, token.id);
    // An engine that died may have left the lease of a task that is over: until it expires nobody looks whose it is.
    const isExecuting = token.status === 'dispatched' && host.isExecuting(runId, token.id);
    return { ...token, isExecuting, ...(progress === null ? {} : { progress }) };
  });
}

/** Of a page. */
const eventCharactersMax = 4_194_304;

export async function eventPage<Event extends { readonly id: string }>(
  events: AsyncIterator<Event>,
  limit: number = itemsPerPage,
  idOf: (event: Event) => string = ({ id }) => id,
): Promise<Page<Event>> {
  const items: Event[] = [];
  let hasMore = true;
  // HT16: a page of large events is short, and says where the next begins.
  for (let characters = 0; hasMore && items.length < limit && characters < eventCharactersMax; ) {
    const { done, value } = await events.next();
    hasMore = done !== true;
    if (done === true) break;
    items.push(value);
    characters += JSON.stringify(value).length;
  }
  hasMore = hasMore && (await events.next()).done !== true;
  await events.return?.();
  const last = items.at(-1);
  return { items, next: hasMore && last !== undefined ? idOf(last) : null };
}
