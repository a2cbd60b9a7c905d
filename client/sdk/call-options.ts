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
