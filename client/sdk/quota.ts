/** How much of a rate limit is left. Where an answer counted in several limits, it is about the tightest. */
export interface Quota {
  /** Calls that the limit lets through at once. */
  readonly limit: number;
  /** Calls that are left of them. */
  readonly remaining: number;
  /** When all of them are there again. */
  readonly reset: Date;
}

/** What an answer says of the limit it counted in; undefined when it counted in none. */
export function quotaIn(headers: Headers): Quota | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  );
  if (!limit || !remaining || !reset) return undefined;
  return { limit: Number(limit), remaining: Number(remaining), reset: new Date(Number(reset) * 1_000) };
}
