// The door for programs that expose metrics and traces themselves, on any runtime.

export { EngineFigures, type MeasuredEngine } from './telemetry/engine-figures.ts';
export { EngineMeter } from './telemetry/engine-meter.ts';
export { Exposition, type Labels } from './telemetry/exposition.ts';
export { type TraceOptions, traceOptionsOf } from './telemetry/trace-options.ts';
