// How every route is called so that it does something, with the ids of what is there (`world.testsuite.ts`); and what a
// key of another tenant gets that calls it so. A route that is not in the table does not compile.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { type Route, routes } from '../../packages/heddle/src/http/route.ts';
import { type OperationName, operationNames } from '../../packages/heddle/src/operations/operations.ts';
import type { Ids } from './world.testsuite.ts';

/** What may be sent as a body. */
export type Content = NonNullable<RequestInit['body']>;

export interface Sample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: Json;
  /** The status that a key of another tenant gets: it is as if nothing of the first were there. */
  readonly foreign: number;
}

export interface Call extends Sample {
  readonly name: OperationName;
  readonly route: Route;
  readonly path: string;
}

export function callsOf(ids: Ids): readonly Call[] {
  const samples = samplesOf(ids);
  return operationNames.map((name) => {
    const sample = samples[name] as Sample | undefined;
    if (sample === undefined) throw new Error(`Expected the table of calls to have ${name}, but it has not; add it`);
    const route = routes[name];
    const params = sample.params ?? {};
    const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? '-'));
    return { ...sample, name, route, path: sample.query === undefined ? filled : `${filled}?${sample.query}` };
  });
}

/** As a request, with whatever else is to be said. */
export function initOf(
  { route, body }: Call,
  { headers = {}, ...more }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: Content } = {},
): RequestInit {
  const takesBytes = route.content.type === 'bytes';
  const type = takesBytes ? 'text/plain' : 'application/json';
  const said = takesBytes ? 'some bytes' : body === undefined ? undefined : JSON.stringify(body);
  const content = more.body ?? said;
  return {
    method: route.method,
    headers: { ...(content === undefined ? {} : { 'content-type': type }), ...headers },
    ...(content === undefined ? {} : { body: content }),
  };
}

function samplesOf(ids: Ids): { readonly [Name in OperationName]: Sample } {
  const { runId, failedRunId, askingRunId, correlationId, triggerId, artifactId, lease, keyId, organization } = ids;
  const ofRun: Sample = { params: { runId }, foreign: 404 };
  const list: Sample = { foreign: 200 };
  const ofCallback: Sample = { params: { id: 'tell' }, foreign: 404 };
  const ofTrigger: Sample = { params: { id: triggerId }, foreign: 404 };
  return {
    registerDefinition: {
      body: { id: 'other', initialNode: 'a', nodes: [{ id: 'a' }], transitions: [] },
      foreign: 200,
    },
    validateDefinition: { body: { id: 'other' }, foreign: 200 },
    listDefinitions: list,
    listNodeTypes: list,
    getDefinition: { params: { id: 'greeting' }, foreign: 404 },
    putDraft: { params: { workflow: 'other' }, body: { revision: null, content: { id: 'other' } }, foreign: 200 },
    getDraft: { params: { workflow: 'drawn' }, foreign: 404 },
    listDrafts: list,
    removeDraft: { params: { workflow: 'drawn' }, query: 'revision=1', foreign: 200 },
    publishDraft: { params: { workflow: 'finished' }, body: { revision: 1 }, foreign: 404 },
    startRun: { body: { workflow: 'greeting', input: { name: 'Eve' } }, foreign: 404 },
    startRuns: { body: { runs: [{ workflow: 'greeting', input: { name: 'Eve' } }] }, foreign: 200 },
    listRuns: list,
    countRuns: list,
    getRun: ofRun,
    waitForRun: ofRun,
    cancelRun: { params: { runId: askingRunId }, body: {}, foreign: 404 },
    pauseRun: { params: { runId: askingRunId }, foreign: 404 },
    resumeRun: { params: { runId: askingRunId }, foreign: 404 },
    retryRun: { params: { runId: failedRunId }, body: {}, foreign: 404 },
    releaseRun: ofRun,
    deleteRun: ofRun,
    cancelRuns: { body: { workflow: 'asking' }, foreign: 200 },
    retryRuns: { body: { workflow: 'failing' }, foreign: 200 },
    previewRetry: { params: { runId: failedRunId }, foreign: 404 },
    previewCancel: ofRun,
    getState: ofRun,
    getStateAt: { params: { runId, eventId: '1.0' }, foreign: 404 },
    listTokens: ofRun,
    listNodes: ofRun,
    listEdges: ofRun,
    getRunView: ofRun,
    listWaits: ofRun,
    listRunEvents: ofRun,
    streamRunEvents: ofRun,
    listRunTrace: ofRun,
    streamRunTrace: ofRun,
    getExecution: ofRun,
    getDataflow: ofRun,
    getThreads: ofRun,
    getSnapshot: ofRun,
    restoreRun: { body: { version: 1, runs: [] }, foreign: 422 },
    explainEvent: { params: { runId }, body: { eventId: '1.0' }, foreign: 404 },
    replayRun: { params: { runId }, body: {}, foreign: 404 },
    simulateRouting: { params: { runId: askingRunId }, body: { tokenId: 1, output: 1 }, foreign: 404 },
    listGroups: ofRun,
    listRunArtifacts: { params: { runId }, foreign: 200 },
    listPrompts: list,
    replyToPrompt: { params: { runId: askingRunId, correlationId }, body: { payload: 1 }, foreign: 404 },
    createPromptSecret: { params: { correlationId }, foreign: 404 },
    replyWithSecret: { params: { tenant: 'rival', secret: ids.promptSecret }, body: { payload: 1 }, foreign: 404 },
    getPromptBySecret: { params: { tenant: 'rival', secret: ids.promptSecret }, foreign: 404 },
    publishEvent: { body: { name: 'bell' }, foreign: 200 },
    listEvents: list,
    streamEvents: { query: 'after=9999999.0', foreign: 400 },
    createTrigger: { body: { id: 'other', type: 'manual', workflow: 'greeting' }, foreign: 200 },
    listTriggers: list,
    getTrigger: ofTrigger,
    removeTrigger: { params: { id: triggerId }, foreign: 200 },
    enableTrigger: ofTrigger,
    disableTrigger: ofTrigger,
    fireTrigger: { params: { triggerId }, body: {}, foreign: 404 },
    getBalance: { params: { organization }, foreign: 200 },
    deposit: { params: { organization }, body: { amount: 5 }, foreign: 200 },
    listReservations: { params: { organization }, foreign: 200 },
    leaseTasks: { body: { actions: ['remote.work'] }, foreign: 200 },
    heartbeatTasks: { body: { tasks: [{ lease }] }, foreign: 200 },
    finishTasks: { body: { tasks: [{ lease, output: 1 }] }, foreign: 200 },
    releaseTasks: { body: { tasks: [{ lease }] }, foreign: 200 },
    recordStep: { body: { lease, step: 'charge' }, foreign: 403 },
    publishFromTask: { body: { lease, name: 'bell' }, foreign: 403 },
    putTaskArtifact: { params: { lease }, foreign: 403 },
    listTaskArtifacts: { params: { lease }, foreign: 403 },
    getTaskArtifact: { params: { lease, id: artifactId }, query: 'mimeType=text/plain', foreign: 403 },
    announceActions: { params: { worker: 'hands' }, body: { actions: [] }, foreign: 204 },
    withdrawActions: { body: { actions: ['nothing'] }, foreign: 204 },
    listWorkers: list,
    listActions: list,
    putArtifact: { foreign: 201 },
    listArtifacts: list,
    getArtifact: { params: { id: artifactId }, query: 'mimeType=text/plain', foreign: 404 },
    setSecret: { params: { name: 'token' }, body: { value: 'another-secret-value' }, foreign: 200 },
    listSecrets: list,
    removeSecret: { params: { name: 'token' }, foreign: 200 },
    receiveWebhook: { params: { tenant: 'rival', id: 'hook' }, foreign: 404 },
    receiveWebhookByPut: { params: { tenant: 'rival', id: 'hook' }, foreign: 404 },
    createCallback: {
      body: { url: 'https://other.example.com/', on: ['prompt.opened'], workflow: 'never' },
      foreign: 200,
    },
    listCallbacks: list,
    getCallback: ofCallback,
    removeCallback: { params: { id: 'tell' }, foreign: 200 },
    enableCallback: ofCallback,
    disableCallback: ofCallback,
    listDeliveries: list,
    resendDelivery: { params: { id: 'nothing' }, foreign: 404 },
    setRetention: { params: { workflow: 'greeting' }, body: { days: 2 }, foreign: 200 },
    listRetention: list,
    removeRetention: { params: { workflow: 'greeting' }, foreign: 200 },
    sweep: { foreign: 200 },
    getOverview: list,
    getNodeFigures: { params: { workflow: 'greeting' }, foreign: 404 },
    getStats: { foreign: 200 },
    vacuum: { foreign: 204 },
    backUp: { foreign: 201 },
    health: { foreign: 200 },
    ready: { foreign: 200 },
    metrics: { foreign: 200 },
    audit: { foreign: 200 },
    whoAmI: { foreign: 200 },
    signIn: { body: { key: 'hdl_nobody' }, foreign: 401 },
    signOut: { foreign: 204 },
    createKey: { body: { name: 'more', scopes: ['key:admin'] }, foreign: 201 },
    listKeys: list,
    rotateKey: { params: { id: keyId }, body: {}, foreign: 404 },
    revokeKey: { params: { id: keyId }, foreign: 404 },
    createToken: { body: { runId, may: 'read' }, foreign: 404 },
    listIssuedTokens: list,
    revokeToken: { params: { id: ids.tokenId }, foreign: 404 },
  };
}
