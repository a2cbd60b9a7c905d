/** Remaining rate limit. If an answer counted in several limits, it is the tightest. */
export interface Quota {
  /** Maximum number of calls. */
  readonly limit: number;
  /** Number of calls left. */
  readonly remaining: number;
  /** Time at which all calls are available again. */
  readonly reset: Date;
}

/** Reads the rate limit from an answer's headers; undefined if there is none. */
export function quotaIn(headers: Headers): Quota | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  );
  if (!limit || !remaining || !reset) return undefined;
  return { limit: Number(limit), remaining: Number(remaining), reset: new Date(Number(reset) * 1_000) };
}
