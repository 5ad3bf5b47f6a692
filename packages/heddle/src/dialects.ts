// The door for editors, migrations and hosts of other dialects: the parts of their definitions, how a drawing is read, and
// what a run is in the words of its dialect. Types and pure functions alone: an editor that reads a drawing carries no engine.

// Any dialect: tokens in the words of other engines, and the token graph that a definition is compiled to.

export { type ClassicTokenStatus, classicTokenStatus } from './core/views/projections.ts';
export type { Lowered } from './definition/lowered.ts';
export { workflowNameHint } from './definition/names.ts';

// The catalogue: what node types are, for editors.

export type {
  Catalogue,
  CatalogueEntry,
  CompiledEdge,
  CompiledGraph,
  CompiledNode,
  Credential,
  MadeHandles,
  SettingsMigration,
} from './dialects/catalogue/entry.ts';
export { listHandles } from './dialects/catalogue/entry.ts';

// Dataflow: the parts of a definition, and the state of a run.

export { untagNumbers } from './base/tagged-numbers.ts';
export type { DataflowEdge, DataflowNode, InputPort, OutputPort } from './dialects/dataflow/dataflow.ts';
export {
  type DataflowNodeReport,
  type DataflowOrder,
  type DataflowProgress,
  type DataflowStatus,
  type DataflowTracking,
  dataflowStatus,
  refusedDataflow,
  reportNodes,
  shouldSkipNode,
  trackedStatus,
} from './dialects/dataflow/report.ts';
export { type DataflowReport, dataflowStep } from './dialects/dataflow/run-report.ts';
export type { DataflowUpdate } from './dialects/dataflow/updates.ts';

// Handles: the parts of a definition, how a drawing is read, and the state of a run.

export { type Execution, type ExecutionStatus, executionStatus } from './dialects/handle/execution.ts';
export {
  type Adjacency,
  buildAdjacencyMap,
  buildNodeMap,
  type Connection,
  findEntryNode,
  getNextNodeIds,
  topologicalSort,
} from './dialects/handle/graph.ts';
export type { HandleConnection, HandleEdge, HandleNode } from './dialects/handle/handle.ts';
export type { ExecutionEvent } from './engine/handle-event.ts';

// Threads: the parts of a definition, and the state of a run.

export type { ExecutionContext } from './dialects/thread/contexts.ts';
export type { Connector, ThreadMapping, ThreadNode } from './dialects/thread/thread.ts';
export {
  type ThreadState,
  type ThreadStatus,
  type ThreadsView,
  type ThreadView,
  threadStatus,
} from './dialects/thread/view.ts';
