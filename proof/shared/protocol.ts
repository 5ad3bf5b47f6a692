// Protocol: what the processes of a shared fleet are told beside what every engine process is.

/** How a fleet is opened. */
export interface Opening {
  readonly url: string;
  /** Null: something stands between that does not pass on what is told. */
  readonly directUrl: string | null;
  readonly schema: string;
  readonly shards: number;
  /** The file where effects are noted. */
  readonly effects: string;
  /** It registers what all work with. */
  readonly isFirst: boolean;
}

export const secretKey = Buffer.from('of the fleet that is being killed').subarray(0, 32).toString('base64');
