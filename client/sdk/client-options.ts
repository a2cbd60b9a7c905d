export interface ClientOptions {
  /** Origin of the site, such as `https://ada.example.com`. */
  baseUrl: string | URL;
  /** An API key, for `v1` and `v2`. Never ship it to a browser. */
  apiKey?: string | undefined;
  /** An owner's session token, for `admin` and `studio`; use it instead of an API key. */
  ownerToken?: string | undefined;
  /** A member's token. It opens the bodies of posts that the member may read. */
  memberToken?: string | undefined;
  /** Token of a preview link, in addition to an API key. It opens the draft in `v2.preview`. */
  previewToken?: string | undefined;
  /** Function for all requests; default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /**
   * Maximum number of retries of a call after a rate limit, a busy or restarting server, or a lost answer; default: 5.
   * Retries are safe: reads change nothing, and a write's idempotency key keeps it from running twice.
   */
  retries?: number | undefined;
  /**
   * If true, calls refused by a rate limit wait and are sent again; default: true. Set it to false if a person is waiting,
   * and show the seconds in the error.
   */
  waitsForLimits?: boolean | undefined;
  /**
   * Maximum duration of a call, including its retries and the waits between them, in milliseconds; default: 60,000. An
   * attempt without an answer counts as lost after a third of it, but not before ten seconds.
   */
  timeoutMs?: number | undefined;
  /**
   * Allows an `apiKey` in a browser. Anyone who opens the page can read the key and use all its scopes, so set this only if
   * that is acceptable.
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call at any stage: after it aborts, no request is sent and nothing is retried. */
  signal?: AbortSignal | undefined;
}

export interface QueryOptions extends CallOptions {
  /** Requests the record's entity tag, for `etagOf`. The call gets its own request, because batched reads return no tags. */
  etag?: boolean | undefined;
}

export interface MutationOptions extends CallOptions {
  /**
   * Key of the write: 1 to 255 printable ASCII characters. The service runs a write with a key once within 24 hours and
   * returns its first answer to each repetition. Another input with the same key fails with `idempotency_key_reused`.
   *
   * Set it if a repetition may come from another call, such as a job that runs again after a crash. By default, each call
   * has a random key, which its retries share.
   */
  idempotencyKey?: string | undefined;
  /**
   * Entity tag of the record that was read, from `etagOf`. If the record has changed since, the write changes nothing and
   * fails with `precondition_failed`.
   */
  ifMatch?: string | undefined;
}
