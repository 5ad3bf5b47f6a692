// The door for serving an engine over HTTP, on Node.

export { type ConnectionOptions, type Listening, listen } from './server/listen.ts';
export { jsonLog, type Level, type Log, type LogEntry } from './server/log.ts';
export { defaultPort, type RunningServer, type ServeOptions, serve } from './server/serve.ts';
export type { ServedDatabase, ServedStore } from './server/tenant-stores.ts';
export { findWebFiles } from './server/web-files.ts';
