export interface ClientOptions {
  /** The site's own origin, such as `https://ada.example.com`. */
  baseUrl: string | URL;
  /** An API key, for `v1` and `v2`. It must never be part of what is shipped to a browser. */
  apiKey?: string | undefined;
  /** An owner's session token, for `admin` and `studio`; in place of an API key. */
  ownerToken?: string | undefined;
  /** A member's token: opens the bodies of posts that this member may read. */
  memberToken?: string | undefined;
  /** The token of a preview link: opens its draft to `v2.preview`, besides an API key. */
  previewToken?: string | undefined;
  /** Used for every request; the global `fetch` when left out. */
  fetch?: typeof fetch | undefined;
  /**
   * How often a call is made again at most, after a rate limit, a busy or restarting server, or an answer that got lost;
   * 5 when left out. Reads can be made again freely, writes by their idempotency key, which keeps them from being done
   * twice.
   */
  retries?: number | undefined;
  /**
   * Whether a call that a rate limit refused waits, and is made again; true when left out. Where a person waits for it, it is
   * better to tell them for how many seconds, which the error says.
   */
  waitsForLimits?: boolean | undefined;
  /**
   * How long a call takes at most, all its repetitions and the waits between them included, in milliseconds; 60,000 when
   * left out. An attempt that gets no answer within a third of it, or ten seconds where that is more, counts as lost.
   */
  timeoutMs?: number | undefined;
  /**
   * Lets a client with an `apiKey` be made in a browser. Whoever opens the page can read the key and use it for all that
   * its scopes allow: set this only where all of them may. Other clients need it nowhere.
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** What every call takes besides its input. */
export interface CallOptions {
  /** Cancels the call, wherever it is: nothing is sent after it aborts, and no repetition either. */
  signal?: AbortSignal | undefined;
}

export interface QueryOptions extends CallOptions {
  /**
   * Asks for the record's tag, which `etagOf` then tells. The call travels in a request of its own: reads that travel
   * together bring no tags.
   */
  etag?: boolean | undefined;
}

export interface MutationOptions extends CallOptions {
  /**
   * Names the write, as 1 to 255 printable ASCII characters. The service does a write of that name once within 24 hours
   * and gives its first answer again to each repetition; another input under the same name fails with
   * `idempotency_key_reused`. Give your own where a repetition may come from another call, such as a job that is run
   * again after a crash. When left out, each call has a random one, which its own repetitions share.
   */
  idempotencyKey?: string | undefined;
  /**
   * The tag of the record that was read, by `etagOf`: writes only if nobody has written the record since, and fails with
   * `precondition_failed` otherwise, with nothing changed.
   */
  ifMatch?: string | undefined;
}
