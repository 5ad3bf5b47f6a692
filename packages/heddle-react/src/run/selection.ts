// Selection: what of a run somebody looks at, and how it stands in an address.

export interface RunSelection {
  readonly node: string | null;
  /** One visit of it. */
  readonly token: number | null;
  /** A branch, by the instance of its fan-out and its index. */
  readonly branch: { readonly group: number; readonly index: number } | null;
  /** A sub-run that is open in place. */
  readonly subrun: string | null;
}

export const nothingSelected: RunSelection = { node: null, token: null, branch: null, subrun: null };

export const selectNode = (node: string | null): RunSelection => ({ ...nothingSelected, node });

/** As the parameters of an address. */
export function selectionParameters({ node, token, branch, subrun }: RunSelection): Record<string, string> {
  return {
    ...(node === null ? {} : { node }),
    ...(token === null ? {} : { token: String(token) }),
    ...(branch === null ? {} : { branch: `${branch.group}.${branch.index}` }),
    ...(subrun === null ? {} : { subrun }),
  };
}

/** What is no selection is none. */
export function readSelection(parameters: URLSearchParams): RunSelection {
  const [, group, index] = /^(\d{1,9})\.(\d{1,9})$/.exec(parameters.get('branch') ?? '') ?? [];
  const token = /^\d{1,15}$/.exec(parameters.get('token') ?? '')?.[0];
  return {
    node: parameters.get('node'),
    token: token === undefined ? null : Number(token),
    branch: group === undefined ? null : { group: Number(group), index: Number(index) },
    subrun: parameters.get('subrun'),
  };
}
