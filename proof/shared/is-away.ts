// IsAway: what a fleet says whose database, or whose owner of a shard, is away: it is no answer, and whoever asks asks again.

const codes: ReadonlySet<string> = new Set([
  'ENGINE_CLOSED',
  'STORE_CLOSED',
  'STORE_FAILED',
  'STORE_FENCED',
  'STORE_IN_DOUBT',
  'SHARD_ELSEWHERE',
]);

export const isAway = (error: object): boolean => 'code' in error && codes.has(String(error.code));
