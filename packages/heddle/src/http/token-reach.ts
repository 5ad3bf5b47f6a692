// Token reach: what a token for one run or one workflow may ask, operation by operation. Rules AC….
//
// Always true: an operation that is not in the table is refused, also one that was added since; what is not there is
// refused in the same words as what is another's.

import type { Awaitable } from '../actor/ports.ts';
import type { Engine } from '../engine/engine.ts';
import type { Owner } from '../engine/owners.ts';
import type { Only } from '../operations/access.ts';
import type { OneDefinition } from '../operations/definitions.ts';
import type { OperationName, RequestOf } from '../operations/operations.ts';
import type { OneRun } from '../operations/parts.ts';
import type { Access } from './access.ts';
import { RequestError } from './problem-document.ts';

interface Reach {
  readonly only: Only;
  readonly engine: Engine;
}

/** Answers with the request as the token may ask it, or refuses it. */
type Narrow<Request> = (request: Request, reach: Reach) => Awaitable<Request>;

/** AC22: what is not listed here, no token may ask. */
const narrowings: { readonly [Name in OperationName]?: Narrow<RequestOf<Name>> } = {
  whoAmI: asItIs,
  getRun: ofRun,
  waitForRun: ofRun,
  getState: ofRun,
  getStateAt: ofRun,
  listTokens: ofRun,
  listNodes: ofRun,
  listEdges: ofRun,
  listGroups: ofRun,
  listWaits: ofRun,
  getRunView: ofRun,
  listRunEvents: ofRun,
  streamRunEvents: ofRun,
  listRunTrace: ofRun,
  streamRunTrace: ofRun,
  getExecution: ofRun,
  getDataflow: ofRun,
  getThreads: ofRun,
  explainEvent: ofRun,
  listRunArtifacts: ofRun,

  listRuns(filter, { only }) {
    return 'runId' in only
      ? { ...filter, rootRunId: sameOr(filter.rootRunId, only.runId) }
      : { ...filter, workflow: sameOr(filter.workflow, only.workflow) };
  },
  countRuns(filter, { only }) {
    if ('runId' in only) throw beyond();
    return { ...filter, workflow: sameOr(filter.workflow, only.workflow) };
  },
  async listPrompts(query, reach) {
    if (query.runId !== undefined) await ofRun({ runId: query.runId }, reach);
    const { only } = reach;
    return 'runId' in only
      ? { ...query, runId: query.runId ?? only.runId }
      : { ...query, workflow: sameOr(query.workflow, only.workflow) };
  },
  async replyToPrompt(request, { only, engine }) {
    refuseUnless(covers(only, await engine.owners.ofPrompt(request.correlationId)));
    return request;
  },
  async getArtifact(request, { only, engine: { owners } }) {
    const isReached =
      'runId' in only
        ? await owners.hasArtifact(only.runId, request.id)
        : (await owners.ofArtifact(request.id)).some((owner) => covers(only, owner));
    refuseUnless(isReached);
    return request;
  },
  listDefinitions(query, { only }) {
    if ('runId' in only) throw beyond();
    return { ...query, id: sameOr(query.id, only.workflow) };
  },
  async getDefinition(request, { only, engine }) {
    if ('runId' in only) return { ...request, version: await versionIn(only.runId, request, engine) };
    return { ...request, id: sameOr(request.id, only.workflow) };
  },
};

/** Refuses at once what no token may ask. */
export function refuseUnlisted({ only }: Access, name: OperationName): void {
  if (only !== undefined && narrowings[name] === undefined) throw beyond();
}

/** The request as a token may ask it. */
export async function narrowed(name: OperationName, request: object, only: Only, engine: Engine): Promise<object> {
  const narrow = narrowings[name] as Narrow<object> | undefined; // of its own request, which was checked by the table
  if (narrow === undefined) throw beyond();
  return narrow(request, { only, engine });
}

function asItIs<Request>(request: Request): Request {
  return request;
}

async function ofRun<Request extends OneRun>(request: Request, { only, engine }: Reach): Promise<Request> {
  refuseUnless(covers(only, await engine.owners.ofRun(request.runId)));
  return request;
}

/** AC21: a token of a run reaches it and the runs below it; one of a workflow, the runs of that. */
function covers(only: Only, owner: Owner | null): boolean {
  if (owner === null) return false;
  return 'runId' in only ? owner.rootRunId === only.runId : owner.workflow === only.workflow;
}

/** Of the definitions that runs below a run have: of the version that is asked for, or of the run's own. */
async function versionIn(rootRunId: string, { id, version }: OneDefinition, engine: Engine): Promise<number> {
  const isMeant = (run: { readonly workflow: string; readonly version: number }): boolean =>
    run.workflow === id && (version === undefined || run.version === version);
  const root = await engine.owners.ofRun(rootRunId);
  if (root !== null && isMeant(root)) return root.version;
  const below = await engine.runs({ rootRunId, workflow: id, limit: runsLookedAt });
  const found = below.find(isMeant);
  if (found === undefined) throw beyond();
  return found.version;
}

const runsLookedAt = 1_000;

/** What a filter says where it must say this. */
function sameOr(asked: string | undefined, allowed: string): string {
  refuseUnless(asked === undefined || asked === allowed);
  return allowed;
}

function refuseUnless(isReached: boolean): void {
  if (!isReached) throw beyond();
}

function beyond(): RequestError {
  const message = 'Expected what this token is for, but it was used to ask for something else';
  return new RequestError(403, 'TOKEN_SCOPE', message, { hint: 'GET /v1/me tells what a token is for.' });
}
