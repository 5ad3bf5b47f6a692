// Trial graph: what of a draft can be pinned, in the words of its journal, and the draft as a trial runs it.

import { convertToToken, type Json, type JsonObject, type JsonSchema, type NodeTypeInfo, type Problem } from 'heddle';
import type { Drawing } from 'heddle/journal';
import { runsItself, schemaOfPorts, trialActions } from './trial-actions.ts';

/** A node whose outcome can be pinned. */
export interface TrialNode {
  readonly nodeId: string;
  readonly kind: 'action' | 'workflow' | 'prompt' | 'event';
  /** The action, the workflow that is called, the event that is awaited; of a prompt its title. */
  readonly what: string;
  /** What its outcome must look like. */
  readonly schema?: JsonSchema;
  /** Unless it is pinned, it does its own work, as in production. */
  readonly runsItself?: true;
}

export interface TrialGraph {
  readonly problems: readonly Problem[];
  readonly nodes: readonly TrialNode[];
  /** The workflows that it calls. */
  readonly calls: readonly string[];
  /** Null where the draft has errors. */
  readonly drawing: Drawing | null;
}

const nobody = (): Promise<never> => Promise.reject(new Error('Expected nobody to call it: it is only described'));

/** Of a draft in any dialect: what it is compiled to says it. Empty where the draft has errors. */
export function describeGraph(definition: unknown, catalogue: readonly NodeTypeInfo[]): TrialGraph {
  const { nodeTypes } = trialActions(catalogue, nobody);
  const { problems, token, drawing } = convertToToken(definition, { nodeTypes });
  const known = new Map(catalogue.map((info) => [info.type, info]));
  const nodes = (token?.nodes ?? []).flatMap((node) => describeNode(node, known));
  const calls = nodes.flatMap(({ kind, what }) => (kind === 'workflow' ? [what] : []));
  return { problems, nodes, calls: [...new Set(calls)], drawing };
}

type CompiledNode = NonNullable<ReturnType<typeof convertToToken>['token']>['nodes'][number];

function describeNode(node: CompiledNode, known: ReadonlyMap<string, NodeTypeInfo>): readonly TrialNode[] {
  const { id: nodeId, action, workflow, input, wait } = node;
  if (action !== undefined) {
    const what = typeof action === 'string' ? action : action.name;
    const schema = schemaOfPorts(known.get(what)?.outputs);
    return [{ nodeId, kind: 'action', what, ...withSchema(schema), ...(runsItself(what) ? { runsItself: true } : {}) }];
  }
  if (workflow !== undefined)
    return [
      { nodeId, kind: 'workflow', what: typeof workflow === 'string' ? workflow : workflow.id, runsItself: true },
    ];
  if (input !== undefined) {
    const { title = nodeId, schema } = input === true ? {} : input;
    return [{ nodeId, kind: 'prompt', what: typeof title === 'string' ? title : nodeId, ...withSchema(schema) }];
  }
  return wait !== undefined && 'event' in wait ? [{ nodeId, kind: 'event', what: wait.event }] : [];
}

const withSchema = (schema: JsonSchema | undefined): Pick<TrialNode, 'schema'> =>
  schema === undefined ? {} : { schema };

/** The name of the action that stands in for a sub-workflow. */
const standIn = (workflow: string): string => `workflow.${workflow}`;

/**
 * The draft as it is tried: without the version that it came from, and calling no workflow that is pinned or not there. A
 * token definition says so itself; in other dialects every workflow that is called has to be there.
 */
export function preparedDraft(
  definition: JsonObject,
  isPinned: (nodeId: string, workflow: string) => boolean,
): JsonObject {
  const { version: _, ...draft } = definition;
  const { dialect = 'token', nodes } = draft;
  if (dialect !== 'token' || !Array.isArray(nodes)) return draft;
  return { ...draft, nodes: nodes.map((node: Json) => preparedNode(node, isPinned)) };
}

function preparedNode(node: Json, isPinned: (nodeId: string, workflow: string) => boolean): Json {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  const { workflow, id: nodeId, ...rest } = node as JsonObject; // it is no list
  const called =
    typeof workflow === 'object' && workflow !== null && !Array.isArray(workflow) ? workflow : { id: workflow };
  const { id } = called as JsonObject; // neither is it
  if (typeof nodeId !== 'string' || typeof id !== 'string' || !isPinned(nodeId, id)) return node;
  return { id: nodeId, ...rest, action: standIn(id) };
}
