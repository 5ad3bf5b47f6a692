// Fixed members: which members the engine's own names have (`_branch`, `_batch`, `_trigger`, `state._last_error`,
// `state._failure`), and how snake_case spellings of them are read.

/** The members of a value whose set is closed. Below `null` anything may be. */
export interface Members {
  readonly [name: string]: Members | null;
}

const failure: Members = {
  code: null,
  message: null,
  nodeId: null,
  attempts: null,
  limit: null,
  details: null,
  runs: null,
};

const branch: Members = {
  index: null,
  total: null,
  fanOutNodeId: null,
  output: null,
  status: null,
  error: failure,
  get parent() {
    return branch;
  },
};

const trigger: Members = {
  type: null,
  depth: null,
  firedAt: null,
  triggerId: null,
  event: null,
  eventId: null,
  scheduledFor: null,
  sourceRunId: null,
  deliveryId: null,
};

const batch: Members = { index: null, count: null, start: null, end: null, totalItems: null };

const roots: Members = { _branch: branch, _batch: batch, _trigger: trigger };

/** `state` itself is open; only these two of its members are the engine's. */
const failures: ReadonlySet<string | number> = new Set(['_last_error', '_failure']);

/** The members at a path; null if anything may be there. A name that a macro binds is not the engine's. */
export function membersAt(root: string, keys: readonly (string | number)[]): Members | null {
  const [first, ...rest] = keys;
  if (root === 'state') return first !== undefined && failures.has(first) ? membersBelow(failure, rest) : null;
  return Object.hasOwn(roots, root) ? membersBelow(roots[root] ?? null, keys) : null;
}

function membersBelow(members: Members | null, keys: readonly (string | number)[]): Members | null {
  return keys.reduce<Members | null>((at, key) => (at === null ? null : (at[memberName(at, key)] ?? null)), members);
}

/** CX9: a member of these is also read by its snake_case spelling: `_branch.fan_out_node_id`. */
export function memberName<Key extends string | number>(members: Members | null, key: Key): Key | string {
  if (members === null || typeof key === 'number' || Object.hasOwn(members, key)) return key;
  const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(members, camel) ? camel : key;
}

/** The same for every key of a path. */
export function memberPath(root: string, keys: readonly string[]): readonly string[] {
  return keys.map((key, index) => memberName(membersAt(root, keys.slice(0, index)), key));
}

export interface UnknownMember {
  readonly path: string;
  readonly key: string;
  readonly known: readonly string[];
}

/** The first key of a path that can never be there; null if all can. */
export function unknownMember(root: string, keys: readonly (string | number)[]): UnknownMember | null {
  for (const [index, key] of keys.entries()) {
    const members = membersAt(root, keys.slice(0, index));
    if (members === null || Object.hasOwn(members, memberName(members, key))) continue;
    return { path: [root, ...keys.slice(0, index)].join('.'), key: String(key), known: Object.keys(members) };
  }
  return null;
}
