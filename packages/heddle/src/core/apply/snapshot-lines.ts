// Snapshot lines: a state one value at a time, so that a run of any size is encoded and decoded in slices. Rule AP4.
//
// Always true: a line comes after those that it needs: a branch after its group, a group after the branch that opened it,
// a token after its branch. A snapshot of a small state, or of an earlier version, is the first line alone, with
// everything in it.

import type { Json, JsonObject } from '../../base/json.ts';
import type { GroupId } from '../events.ts';
import type { Group, RunState } from '../state.ts';
import type { EncodedBranch, EncodedGroup, EncodedState, EncodedToken } from './encoded-state.ts';
import {
  begunBranches,
  decodeBranch,
  decodeGroup,
  decodeToken,
  encodeBranch,
  encodeGroup,
  encodeToken,
  encodeWith,
  holdCommand,
  tokensInOrder,
} from './snapshot.ts';

export type SnapshotLine =
  | readonly ['held', JsonObject]
  /** A member of the run's state, and what a node has put out. */
  | readonly ['state', string, Json]
  | readonly ['output', string, Json]
  | readonly ['group', EncodedGroup]
  | readonly ['branch', GroupId, EncodedBranch]
  | readonly ['token', EncodedToken];

/** AP4: each value that a run may have many of is a line of its own; the first line is the rest. */
export function* encodeLines(state: RunState): Generator<EncodedState | SnapshotLine> {
  const { context, ...root } = encodeBranch(state.root);
  yield encodeWith(state, {
    held: [],
    root: { ...root, context: context && { ...context, state: {} } },
    groups: [],
    tokens: [],
    outputs: {},
  });
  for (const command of state.held) yield ['held', command];
  for (const [key, value] of Object.entries(context?.state ?? {})) yield ['state', key, value];
  for (const [node, value] of Object.entries(state.outputs)) yield ['output', node, value];
  for (const group of state.groups.values()) {
    yield ['group', encodeGroup(group, [])];
    for (const branch of begunBranches(group)) yield ['branch', group.id, encodeBranch(branch)];
  }
  for (const token of tokensInOrder(state)) yield ['token', encodeToken(token)];
}

interface DecodedContext {
  readonly state: Record<string, Json>;
}

export function decodeLine(state: RunState, line: SnapshotLine): void {
  switch (line[0]) {
    case 'held':
      return holdCommand(state, line[1]);
    case 'state':
      (state.root.context as DecodedContext).state[line[1]] = line[2]; // the first line has made it
      return;
    case 'output':
      state.outputs[line[1]] = line[2];
      return;
    case 'group':
      return decodeGroup(state, line[1]);
    case 'branch': {
      const group = state.groups.get(line[1]) as Group; // its line came before
      group.branches[line[2].index] = decodeBranch(state, line[2], group);
      return;
    }
    case 'token':
      return decodeToken(state, line[1]);
  }
}
