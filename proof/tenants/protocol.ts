// Protocol: the lines of JSON between the supervisor and the server process.

/** To the server. */
export type Order = { readonly type: 'serve'; readonly file: string } | { readonly type: 'measure' };

/** From the server. */
export type Line =
  | { readonly type: 'ready'; readonly url: string; readonly operatorKey: string }
  /** Something that nobody foresaw. */
  | { readonly type: 'broken'; readonly message: string }
  /** The most memory that it had at one time. */
  | { readonly type: 'measured'; readonly bytes: number };

/** How often a stream shows that it is still open. */
export const heartbeatMs = 250;
