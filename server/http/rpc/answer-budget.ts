/** Limits for the memory of answers that wait for the rest of their batch. */
interface Budget {
  maxBytes: number;
  maxBytesPerClient: number;
  /** Assumed bytes of a call until it has answered. */
  expectedBytes: number;
  /** Returns the bytes of an answer; undefined if unknown, so that `expectedBytes` counts. */
  bytesOf(answer: unknown): number | undefined;
}

export interface BatchBudget {
  /** Runs a call as soon as the limits have room for its answer, or its batch is the oldest. */
  run<T>(call: () => Promise<T>): Promise<T>;
  bytes(): number;
  /** Frees the bytes of the batch. Must be called when its answers are sent or discarded. */
  end(): void;
}

interface OpenBatch {
  client: string;
  bytes: number;
  waiting: (() => void)[];
}

/**
 * Creates a limit for the memory of answers that wait for the rest of their batch. Over the total or the client's
 * limit, calls wait before they query the database. The request that began first never waits, because otherwise all
 * could wait for each other; so one request can exceed the limit.
 */
export function createAnswerBudget(budget: Budget): (client: string) => BatchBudget {
  const { maxBytes, maxBytesPerClient, expectedBytes, bytesOf } = budget;
  const open = new Set<OpenBatch>();
  const bytesByClient = new Map<string, number>();
  let bytesInAll = 0;

  const bytesOfClient = (client: string) => bytesByClient.get(client) ?? 0;
  const add = (batch: OpenBatch, bytes: number) => {
    batch.bytes += bytes;
    bytesInAll += bytes;
    const ofClient = bytesOfClient(batch.client) + bytes;
    if (ofClient > 0) bytesByClient.set(batch.client, ofClient);
    else bytesByClient.delete(batch.client);
  };
  const mayBegin = (batch: OpenBatch) =>
    open.values().next().value === batch ||
    (bytesInAll + expectedBytes <= maxBytes &&
      bytesOfClient(batch.client) + expectedBytes <= maxBytesPerClient);

  const beginWaiting = () => {
    for (const batch of open) {
      while (batch.waiting.length > 0 && mayBegin(batch)) {
        add(batch, expectedBytes);
        batch.waiting.shift()?.();
      }
    }
  };

  return (client) => {
    const batch: OpenBatch = { client, bytes: 0, waiting: [] };
    open.add(batch);
    return {
      bytes: () => batch.bytes,
      async run(call) {
        if (mayBegin(batch)) add(batch, expectedBytes);
        else await new Promise<void>((begin) => batch.waiting.push(begin));
        let bytes: number | undefined = 0;
        try {
          const answer = await call();
          bytes = bytesOf(answer);
          return answer;
        } finally {
          add(batch, (bytes ?? expectedBytes) - expectedBytes);
          beginWaiting();
        }
      },
      end() {
        open.delete(batch);
        add(batch, -batch.bytes);
        beginWaiting();
      },
    };
  };
}
