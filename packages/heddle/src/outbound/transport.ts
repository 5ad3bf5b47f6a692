// Transport: the seam between the HTTP client and the runtime's sockets. It decides nothing: the client says which
// addresses may be connected to, and a transport connects to no other.

export interface HttpTransport {
  /**
   * All addresses of a host name; asked once for each hop. Null where the runtime itself resolves names, and reaches no network
   * but the public one.
   */
  resolve(host: string): Promise<readonly string[] | null>;
  /**
   * Sends one request and follows nothing. The body of the answer is decoded (gzip and the like) and within `bytesMax`,
   * else it fails with a `ResponseTooLarge`. It stops when the signal is aborted.
   */
  send(request: WireRequest): Promise<WireResponse>;
  /** Connections that are kept open are closed. */
  close?(): void;
}

export interface WireRequest {
  readonly url: URL;
  /** Checked; one of them is connected to. None where the runtime resolves names. */
  readonly addresses: readonly string[];
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

export interface WireResponse {
  readonly status: number;
  /** Names in lower case; several of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export class ResponseTooLarge extends Error {
  override name = 'ResponseTooLarge';
}
