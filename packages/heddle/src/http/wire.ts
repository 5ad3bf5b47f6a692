// Wire: how each operation goes over HTTP: method, path and status. Where a member of its request travels follows: those
// that the path names in the path, the others in the query of a GET or DELETE, and in the body of a POST or PUT.

import type { OperationName } from '../operations/operations.ts';

export interface Wire {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parameters stand in braces: `/v1/runs/{runId}`. */
  readonly path: string;
  /** Default: 200. */
  readonly status?: 201 | 202 | 204;
  /** Members that travel under another name. */
  readonly names?: Readonly<Record<string, string>>;
  /** The member that is the whole body; the others then travel in the query. */
  readonly body?: string;
  /** Headers that say more, with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream of which there may be nothing more: then it answers 204. */
  readonly mayBeOver?: true;
  /** Parameters are the caller's own. */
  readonly takesAnyQuery?: true;
}

const lastEventId = { 'Last-Event-ID': 'The id of the last event that was seen; goes before `after`.' };
const idempotencyKey = { 'Idempotency-Key': 'The same as `idempotencyKey` in the body.' };

export const wires: { readonly [Name in OperationName]: Wire } = {
  registerDefinition: { method: 'POST', path: '/v1/definitions', body: 'definition' },
  validateDefinition: { method: 'POST', path: '/v1/definitions/validate', body: 'definition' },
  listNodeTypes: { method: 'GET', path: '/v1/node-types' },
  listDefinitions: { method: 'GET', path: '/v1/definitions' },
  getDefinition: { method: 'GET', path: '/v1/definitions/{id}' },
  putDraft: { method: 'PUT', path: '/v1/drafts/{workflow}' },
  getDraft: { method: 'GET', path: '/v1/drafts/{workflow}' },
  listDrafts: { method: 'GET', path: '/v1/drafts' },
  removeDraft: { method: 'DELETE', path: '/v1/drafts/{workflow}' },
  publishDraft: { method: 'POST', path: '/v1/drafts/{workflow}/publish' },
  startRun: { method: 'POST', path: '/v1/runs', status: 201, headers: idempotencyKey },
  listRuns: { method: 'GET', path: '/v1/runs', names: { statuses: 'status', tags: 'tag' } },
  countRuns: { method: 'GET', path: '/v1/runs/count' },
  getRun: { method: 'GET', path: '/v1/runs/{runId}' },
  waitForRun: { method: 'GET', path: '/v1/runs/{runId}/result' },
  cancelRun: { method: 'POST', path: '/v1/runs/{runId}/cancel' },
  pauseRun: { method: 'POST', path: '/v1/runs/{runId}/pause' },
  resumeRun: { method: 'POST', path: '/v1/runs/{runId}/resume' },
  retryRun: { method: 'POST', path: '/v1/runs/{runId}/retry', status: 201, headers: idempotencyKey },
  releaseRun: { method: 'POST', path: '/v1/runs/{runId}/release' },
  deleteRun: { method: 'DELETE', path: '/v1/runs/{runId}', status: 204 },
  cancelRuns: { method: 'POST', path: '/v1/runs/cancel', names: { statuses: 'status' } },
  retryRuns: { method: 'POST', path: '/v1/runs/retry', names: { statuses: 'status' } },
  previewRetry: { method: 'GET', path: '/v1/runs/{runId}/retry' },
  previewCancel: { method: 'GET', path: '/v1/runs/{runId}/cancel' },
  getState: { method: 'GET', path: '/v1/runs/{runId}/state' },
  getStateAt: { method: 'GET', path: '/v1/runs/{runId}/state/{eventId}' },
  getRunView: { method: 'GET', path: '/v1/runs/{runId}/view' },
  listWaits: { method: 'GET', path: '/v1/runs/{runId}/waits' },
  listTokens: { method: 'GET', path: '/v1/runs/{runId}/tokens' },
  listNodes: { method: 'GET', path: '/v1/runs/{runId}/nodes' },
  listEdges: { method: 'GET', path: '/v1/runs/{runId}/edges' },
  listRunEvents: { method: 'GET', path: '/v1/runs/{runId}/events' },
  streamRunEvents: { method: 'GET', path: '/v1/runs/{runId}/events/stream', headers: lastEventId, mayBeOver: true },
  listRunTrace: { method: 'GET', path: '/v1/runs/{runId}/trace' },
  streamRunTrace: { method: 'GET', path: '/v1/runs/{runId}/trace/stream', headers: lastEventId, mayBeOver: true },
  getExecution: { method: 'GET', path: '/v1/runs/{runId}/execution' },
  getDataflow: { method: 'GET', path: '/v1/runs/{runId}/dataflow' },
  getThreads: { method: 'GET', path: '/v1/runs/{runId}/threads' },
  getSnapshot: { method: 'GET', path: '/v1/runs/{runId}/snapshot' },
  restoreRun: { method: 'POST', path: '/v1/runs/restore', status: 201, body: 'snapshot' },
  simulateRouting: { method: 'POST', path: '/v1/runs/{runId}/simulate-routing' },
  explainEvent: { method: 'POST', path: '/v1/runs/{runId}/explain' },
  replayRun: { method: 'POST', path: '/v1/runs/{runId}/replay' },
  listGroups: { method: 'GET', path: '/v1/runs/{runId}/groups' },
  listRunArtifacts: { method: 'GET', path: '/v1/runs/{runId}/artifacts' },
  listPrompts: { method: 'GET', path: '/v1/prompts' },
  replyToPrompt: { method: 'POST', path: '/v1/runs/{runId}/prompts/{correlationId}/reply' },
  createPromptSecret: { method: 'POST', path: '/v1/prompts/{correlationId}/secret' },
  getPromptBySecret: { method: 'GET', path: '/v1/replies/{tenant}/{secret}' },
  replyWithSecret: { method: 'POST', path: '/v1/replies/{tenant}/{secret}' },
  publishEvent: { method: 'POST', path: '/v1/events' },
  listEvents: { method: 'GET', path: '/v1/events' },
  streamEvents: { method: 'GET', path: '/v1/events/stream', headers: lastEventId },
  createTrigger: { method: 'POST', path: '/v1/triggers', body: 'trigger' },
  listTriggers: { method: 'GET', path: '/v1/triggers' },
  getTrigger: { method: 'GET', path: '/v1/triggers/{id}' },
  removeTrigger: { method: 'DELETE', path: '/v1/triggers/{id}' },
  enableTrigger: { method: 'POST', path: '/v1/triggers/{id}/enable' },
  disableTrigger: { method: 'POST', path: '/v1/triggers/{id}/disable' },
  fireTrigger: { method: 'POST', path: '/v1/triggers/{triggerId}/fire' },
  getBalance: { method: 'GET', path: '/v1/credits/{organization}' },
  deposit: { method: 'POST', path: '/v1/credits/{organization}/deposits' },
  listReservations: { method: 'GET', path: '/v1/credits/{organization}/reservations' },
  leaseTasks: { method: 'POST', path: '/v1/tasks/lease' },
  heartbeatTasks: { method: 'POST', path: '/v1/tasks/heartbeat' },
  finishTasks: { method: 'POST', path: '/v1/tasks/finish' },
  releaseTasks: { method: 'POST', path: '/v1/tasks/release' },
  recordStep: { method: 'POST', path: '/v1/tasks/steps', status: 204 },
  publishFromTask: { method: 'POST', path: '/v1/tasks/publish' },
  putTaskArtifact: { method: 'POST', path: '/v1/tasks/artifacts/{lease}', status: 201 },
  listTaskArtifacts: { method: 'GET', path: '/v1/tasks/artifacts/{lease}' },
  getTaskArtifact: { method: 'GET', path: '/v1/tasks/artifacts/{lease}/{id}' },
  announceActions: { method: 'PUT', path: '/v1/workers/{worker}', status: 204 },
  withdrawActions: { method: 'POST', path: '/v1/actions/withdraw', status: 204 },
  listWorkers: { method: 'GET', path: '/v1/workers' },
  listActions: { method: 'GET', path: '/v1/actions' },
  putArtifact: { method: 'POST', path: '/v1/artifacts', status: 201 },
  listArtifacts: { method: 'GET', path: '/v1/artifacts' },
  getArtifact: { method: 'GET', path: '/v1/artifacts/{id}' },
  setSecret: { method: 'PUT', path: '/v1/secrets/{name}' },
  listSecrets: { method: 'GET', path: '/v1/secrets' },
  removeSecret: { method: 'DELETE', path: '/v1/secrets/{name}' },
  receiveWebhook: { method: 'POST', path: '/v1/webhooks/{tenant}/{id}', status: 202, takesAnyQuery: true },
  receiveWebhookByPut: { method: 'PUT', path: '/v1/webhooks/{tenant}/{id}', status: 202, takesAnyQuery: true },
  createCallback: { method: 'POST', path: '/v1/callbacks' },
  listCallbacks: { method: 'GET', path: '/v1/callbacks' },
  getCallback: { method: 'GET', path: '/v1/callbacks/{id}' },
  removeCallback: { method: 'DELETE', path: '/v1/callbacks/{id}' },
  enableCallback: { method: 'POST', path: '/v1/callbacks/{id}/enable' },
  disableCallback: { method: 'POST', path: '/v1/callbacks/{id}/disable' },
  listDeliveries: { method: 'GET', path: '/v1/deliveries' },
  resendDelivery: { method: 'POST', path: '/v1/deliveries/{id}/resend' },
  setRetention: { method: 'PUT', path: '/v1/retention/{workflow}' },
  listRetention: { method: 'GET', path: '/v1/retention' },
  removeRetention: { method: 'DELETE', path: '/v1/retention/{workflow}' },
  sweep: { method: 'POST', path: '/v1/retention/sweep' },
  getOverview: { method: 'GET', path: '/v1/overview' },
  getNodeFigures: { method: 'GET', path: '/v1/overview/{workflow}/nodes' },
  health: { method: 'GET', path: '/health' },
  ready: { method: 'GET', path: '/ready' },
  metrics: { method: 'GET', path: '/metrics' },
  audit: { method: 'POST', path: '/v1/audit' },
  getStats: { method: 'GET', path: '/v1/stats' },
  vacuum: { method: 'POST', path: '/v1/vacuum', status: 204 },
  backUp: { method: 'POST', path: '/v1/backups', status: 201 },
  whoAmI: { method: 'GET', path: '/v1/me' },
  signIn: { method: 'POST', path: '/v1/session', status: 201 },
  signOut: { method: 'DELETE', path: '/v1/session', status: 204 },
  createKey: { method: 'POST', path: '/v1/keys', status: 201 },
  listKeys: { method: 'GET', path: '/v1/keys' },
  rotateKey: { method: 'POST', path: '/v1/keys/{id}/rotate', status: 201 },
  revokeKey: { method: 'DELETE', path: '/v1/keys/{id}', status: 204 },
  createToken: { method: 'POST', path: '/v1/tokens', status: 201 },
  listIssuedTokens: { method: 'GET', path: '/v1/tokens' },
  revokeToken: { method: 'DELETE', path: '/v1/tokens/{id}', status: 204 },
};
