// Read drawing: of edges without a dialect, which one they are of: ports mean a dataflow, all else is a drawing.

import type { JsonObject } from 'heddle';
import { objectsIn } from './places.ts';

/** Whether the engine would know without asking. */
export function isDialectClear(definition: JsonObject): boolean {
  const { dialect, nodes, edges } = definition;
  if (dialect !== undefined || edges === undefined) return true;
  if ('transitions' in definition || 'connectors' in definition || 'connections' in definition) return true;
  const isDrawn = 'viewport' in definition || objectsIn(nodes).some((node) => 'position' in node);
  return isDrawn && !hasPorts(definition);
}

const portNames = ['sourceOutput', 'targetInput', 'sourcePort', 'targetPort'];

const hasPorts = ({ nodes, edges }: JsonObject): boolean =>
  objectsIn(nodes).some((node) => 'inputs' in node || 'outputs' in node) ||
  objectsIn(edges).some((edge) => portNames.some((name) => name in edge));

export const withDialect = (definition: JsonObject): JsonObject => ({
  dialect: hasPorts(definition) ? 'dataflow' : 'handle',
  ...definition,
});
