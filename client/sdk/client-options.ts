export interface ClientOptions {
  /** The site's own origin, such as `https://ada.example.com`. */
  baseUrl: string | URL;
  /** An API key, for `v1` and `v2`. It must never be part of what is shipped to a browser. */
  apiKey?: string | undefined;
  /** An owner's session token, for `admin` and `studio`; in place of an API key. */
  ownerToken?: string | undefined;
  /** A member's token: opens the bodies of posts that this member may read. */
  memberToken?: string | undefined;
  /** Used for every request; the global `fetch` when left out. */
  fetch?: typeof fetch | undefined;
  /**
   * How often a call that was refused or got lost is made again, at most; 5 when left out. Reads are after a rate
   * limit, a busy or restarting server and a broken connection; writes only when the service says that it did nothing.
   */
  retries?: number | undefined;
  /** How long a call takes at most, its repetitions included, in milliseconds; 60,000 when left out. */
  timeoutMs?: number | undefined;
}
