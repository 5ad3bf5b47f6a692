// Connection: how components reach an engine. A provider holds it; hooks ask by the names of the operations and share one cache.
//
// Always true: the cache is the connection's own, so that components neither need nor disturb one of the page around them.

import { QueryClient, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import { type AnswerOf, type CallName, type RequestOf, WireClient, type WireOptions } from 'heddle/wire';
import { createContext, type ReactElement, type ReactNode, use } from 'react';

export interface HeddleConnection {
  readonly client: WireClient;
  readonly queries: QueryClient;
}

/** To a server: the page's own if no url is given; by a key, a token of a run or workflow, or the session of the page. */
export function connectTo(options: WireOptions = {}): HeddleConnection {
  return { client: new WireClient(options), queries: newQueries() };
}

/** What is refused is not asked again by itself; what could not be reached is, twice. */
function newQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && isUnreachable(error),
        refetchOnWindowFocus: true,
        staleTime: 1_000,
      },
    },
  });
}

export const isUnreachable = (error: unknown): boolean => codeOf(error) === 'SERVER_UNREACHABLE';

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

const ConnectionContext = createContext<HeddleConnection | null>(null);

export interface HeddleProviderProps {
  readonly connection: HeddleConnection;
  readonly children: ReactNode;
}

export function HeddleProvider({ connection, children }: HeddleProviderProps): ReactElement {
  return <ConnectionContext value={connection}>{children}</ConnectionContext>;
}

export function useConnection(): HeddleConnection {
  const connection = use(ConnectionContext);
  if (connection === null)
    throw new Error('Expected a <HeddleProvider> around components of Heddle, but there is none');
  return connection;
}

export interface AnswerOptions {
  /** Whether to ask at all. Default: true. */
  readonly enabled?: boolean;
  /** Ask again so often. */
  readonly everyMs?: number;
  /** Show the last answer while the next one is on its way, though the request has changed. */
  readonly keepsLast?: boolean;
}

/** The answer to a question, kept up to date. */
export function useAnswer<Name extends CallName>(
  name: Name,
  request: RequestOf<Name>,
  { enabled = true, everyMs, keepsLast = false }: AnswerOptions = {},
): UseQueryResult<AnswerOf<Name>> {
  const { client, queries } = useConnection();
  return useQuery<AnswerOf<Name>>(
    {
      queryKey: [name, request],
      queryFn: ({ signal }) => client.call(name, request, { signal }),
      enabled,
      ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
      ...(keepsLast ? { placeholderData: (last) => last } : {}),
    },
    queries,
  );
}

export interface Change<Name extends CallName> {
  readonly run: (request: RequestOf<Name>) => void;
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly answer: AnswerOf<Name> | undefined;
  readonly reset: () => void;
}

export interface ChangeOptions<Name extends CallName> {
  readonly onDone?: (answer: AnswerOf<Name>, request: RequestOf<Name>) => void;
  /** Questions whose answers it changes. */
  readonly changes?: readonly CallName[];
}

/** Something that is done when somebody asks for it. */
export function useChange<Name extends CallName>(
  name: Name,
  { onDone, changes = [] }: ChangeOptions<Name> = {},
): Change<Name> {
  const { client, queries } = useConnection();
  const mutation = useMutation(
    {
      mutationFn: (request: RequestOf<Name>) => client.call(name, request),
      onSuccess: (answer, request) => {
        for (const changed of changes) void queries.invalidateQueries({ queryKey: [changed] });
        onDone?.(answer, request);
      },
    },
    queries,
  );
  return {
    run: (request) => mutation.mutate(request),
    isRunning: mutation.isPending,
    error: mutation.error,
    answer: mutation.data,
    reset: () => mutation.reset(),
  };
}

/** Whether the server knows no key, token or session of whoever looks: what it had streamed has ended. */
export function useIsSignedOut(): boolean {
  return codeOf(useAnswer('whoAmI', {}).error) === 'KEY_INVALID';
}

/** Whether whoever looks may do something: what is not allowed is not offered. */
export function useMay(): (scope: string) => boolean {
  const { data } = useAnswer('whoAmI', {});
  const scopes = new Set(data?.scopes ?? []);
  return (scope) => scopes.has('*') || scopes.has(scope);
}
