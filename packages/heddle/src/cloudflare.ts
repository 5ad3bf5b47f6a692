// The door to Cloudflare: an engine in Durable Objects, and the Worker before them.

export {
  type Coordinator,
  type CoordinatorPlace,
  coordinatorOf,
  type StillWanted,
  type SubworkflowStart,
  type Taken,
  type TaskFailure,
  type TokenId,
} from './cloudflare/coordinator.ts';
export { type HeddleOnCloudflare, heddle } from './cloudflare/heddle.ts';
export type { HeddleObjectClass } from './cloudflare/heddle-object.ts';
export type { HeddleOptions } from './cloudflare/options.ts';
export type { Placement } from './cloudflare/place.ts';
export type { AssetsBinding, ObjectNamespace, WorkerContext } from './cloudflare/platform.ts';
export type { Database, DatabaseAnswer, DatabaseStatement, DatabaseValue } from './cloudflare/projection/database.ts';
export { ProjectedLists } from './cloudflare/projection/projected-lists.ts';
export type { RebuiltObjects } from './cloudflare/projection/rebuild-objects.ts';
export { type MessageBatch, type QueueWorkerOptions, queueWorker } from './cloudflare/queue-worker.ts';
export { type RpcTask, type RpcWork, rpcAction, rpcWorker } from './cloudflare/rpc-work.ts';
export { engineBehind, type HeddleServiceClass } from './cloudflare/service.ts';
export type { QueuedAction, TaskQueue } from './cloudflare/task-queue.ts';
export type { HeddleWorker } from './cloudflare/worker.ts';
export { type Bucket, bucketArtifacts } from './hosts/durable-object/bucket-artifacts.ts';
export { type ObjectHost, type ObjectStoreOptions, openObjectStore } from './hosts/durable-object/open.ts';
export type { ObjectStorage } from './hosts/durable-object/storage.ts';
