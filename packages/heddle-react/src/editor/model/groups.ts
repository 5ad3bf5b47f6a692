// Groups: nodes that are put together for people, with a name, and that can be folded to one box. They are kept in the
// `meta` of the definition, which the engine does not read.

import type { Json, JsonObject } from 'heddle';
import type { DrawnEdge } from './graph.ts';
import { isList, isObject, objectsIn, textOf } from './places.ts';

export interface Group {
  readonly id: string;
  readonly name: string;
  readonly nodes: readonly string[];
  readonly isFolded: boolean;
}

/** Members that are gone are left out, and groups without members. */
export function groupsOf(definition: JsonObject): readonly Group[] {
  const { meta, nodes } = definition;
  const ids = new Set(objectsIn(nodes).map(({ id }) => textOf(id)));
  const groups = isObject(meta) ? objectsIn(meta['groups']) : [];
  return groups.flatMap(({ id, name, nodes: members, isFolded }) => {
    const present = isList(members) ? members.map(textOf).filter((member) => ids.has(member)) : [];
    return present.length === 0
      ? []
      : [{ id: textOf(id), name: textOf(name), nodes: present, isFolded: isFolded === true }];
  });
}

function withGroups(definition: JsonObject, groups: readonly Group[]): JsonObject {
  const { meta, ...rest } = definition;
  const { groups: _, ...others }: JsonObject = isObject(meta) ? meta : {};
  const written = groups.map((group): Json => ({ ...group, nodes: [...group.nodes] }));
  const next = written.length === 0 ? others : { ...others, groups: written };
  return Object.keys(next).length === 0 ? rest : { ...rest, meta: next };
}

/** A node is in one group at most. */
export function addGroup(definition: JsonObject, nodes: readonly string[]): JsonObject {
  const groups = groupsOf(definition);
  const left = groups.map((group) => ({ ...group, nodes: group.nodes.filter((id) => !nodes.includes(id)) }));
  const taken = new Set(groups.map(({ id }) => id));
  let number = groups.length + 1;
  while (taken.has(`group-${number}`)) number += 1;
  const added: Group = { id: `group-${number}`, name: `Group ${number}`, nodes, isFolded: false };
  return withGroups(definition, [...left.filter((group) => group.nodes.length > 0), added]);
}

export const changeGroup = (definition: JsonObject, id: string, change: Partial<Group> | null): JsonObject =>
  withGroups(
    definition,
    groupsOf(definition).flatMap((group) => {
      if (group.id !== id) return [group];
      return change === null ? [] : [{ ...group, ...change }];
    }),
  );

/** By node: the folded group that stands for it. */
export function foldedInto(groups: readonly Group[]): ReadonlyMap<string, string> {
  return new Map(groups.filter(({ isFolded }) => isFolded).flatMap(({ id, nodes }) => nodes.map((node) => [node, id])));
}

/** Edges between what is shown: those of folded nodes lead to their group, and those inside of one are gone. */
export function shownEdges(edges: readonly DrawnEdge[], folded: ReadonlyMap<string, string>): readonly DrawnEdge[] {
  if (folded.size === 0) return edges;
  return edges.flatMap((edge) => {
    const [from, to] = [folded.get(edge.from), folded.get(edge.to)];
    if (from === undefined && to === undefined) return [edge];
    if (from === to) return [];
    return [
      {
        ...edge,
        from: from ?? edge.from,
        to: to ?? edge.to,
        output: from === undefined ? edge.output : undefined,
        input: to === undefined ? edge.input : undefined,
      },
    ];
  });
}
