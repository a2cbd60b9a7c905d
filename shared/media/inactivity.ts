/** Waits for another service, and gives up when nothing comes or goes for too long. */
export interface Waiting {
  /** Aborts what waits. */
  signal: AbortSignal;
  /** The other one has to say something from now on: once more, when it already had to. */
  begin(): void;
  end(): void;
}

/** However large a file is, it may take its time while it moves. */
export function waitAtMost(ms: number): Waiting {
  const giveUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = () => clearTimeout(timer);
  return {
    signal: giveUp.signal,
    begin() {
      end();
      timer = setTimeout(
        () => giveUp.abort(new Error(`timed out: no data to or from the media store for ${ms} ms`)),
        ms,
      );
      timer.unref();
    },
    end,
  };
}

/** The parts of an answer's body. While their reader does something else, nobody waits. */
export async function* partsOf(body: AsyncIterable<Uint8Array>, waiting: Waiting) {
  try {
    waiting.begin();
    for await (const part of body) {
      waiting.end();
      yield part;
      waiting.begin();
    }
  } finally {
    waiting.end();
  }
}
