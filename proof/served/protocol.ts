// Protocol: the lines of JSON between the supervisor and the processes that it kills, and what workers write down of
// their talks with the server.

/** To a process. */
export type Order =
  | { readonly type: 'serve'; readonly file: string; readonly port: number }
  | {
      readonly type: 'work';
      readonly url: string;
      readonly name: string;
      readonly effects: string;
      readonly exchanges: string;
      /** It comes to a standstill before one in so many effects, for longer than its leases last. */
      readonly oneStandsStillIn: number;
    }
  | { readonly type: 'close'; readonly graceMs: number };

/** From a process. */
export type Line =
  | { readonly type: 'ready' }
  /** Something that nobody foresaw. */
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'closed' };

/** How long a worker may be silent: longer than a server is away, and short, so that the tasks of the dead come back soon. */
export const leaseMs = 1_800;

/** One thing that a worker said or heard, in the order in which it did. */
export type Exchange = { readonly pid: number } & (
  | { readonly type: 'leased'; readonly lease: string; readonly expiresAt: number }
  | { readonly type: 'extended'; readonly lease: string; readonly expiresAt: number }
  /** It is about to say what a task came to: the receipt of an effect, or none if it failed. */
  | { readonly type: 'reporting'; readonly lease: string; readonly receipt: string | null }
  | { readonly type: 'taken'; readonly lease: string; readonly applied: boolean; readonly because: string | null }
  /** It is about to hand it back. */
  | { readonly type: 'releasing'; readonly lease: string }
  /** An answer that is none of the promised ones. */
  | { readonly type: 'refused'; readonly status: number; readonly text: string }
);
