// The door for programs that use an engine elsewhere, on Node and in browsers: a client, and a worker.

export { Heddle } from './api/heddle.ts';
export type { Run, Run as RunHandle } from './api/run.ts';
export { HeddleError } from './base/heddle-error.ts';
export { Client, connect } from './client/client.ts';
export { readStream } from './client/read-stream.ts';
export type { TransportOptions } from './client/transport.ts';
export { startWorker, Worker, type WorkerOptions } from './client/worker.ts';
export type { CallOptions } from './operations/carrier.ts';
