/** Limits for the memory of answers that wait for the rest of their batch. */
interface Budget {
  mostBytes: number;
  mostBytesPerClient: number;
  /** Assumed bytes of a call until it has answered. */
  expectedBytes: number;
  /** Returns the bytes of an answer; undefined if unknown, so that `expectedBytes` counts. */
  bytesOf(answer: unknown): number | undefined;
}

export interface Gathering {
  /** Runs a call when its turn comes. */
  run<T>(call: () => Promise<T>): Promise<T>;
  bytes(): number;
  /** Must be called when the answers are sent or discarded. */
  end(): void;
}

interface Gathered {
  client: string;
  bytes: number;
  waiting: (() => void)[];
}

/**
 * Creates a limit for the memory of answers that wait for the rest of their batch. Over the total or the client's
 * limit, calls wait before they query the database. The request that began first never waits, because otherwise all
 * could wait for each other; so one request can exceed the limit.
 */
export function createAnswerBudget(budget: Budget): (client: string) => Gathering {
  const { mostBytes, mostBytesPerClient, expectedBytes, bytesOf } = budget;
  const open = new Set<Gathered>();
  const bytesByClient = new Map<string, number>();
  let bytesInAll = 0;

  const bytesOfClient = (client: string) => bytesByClient.get(client) ?? 0;
  const add = (gathered: Gathered, bytes: number) => {
    gathered.bytes += bytes;
    bytesInAll += bytes;
    const ofClient = bytesOfClient(gathered.client) + bytes;
    if (ofClient > 0) bytesByClient.set(gathered.client, ofClient);
    else bytesByClient.delete(gathered.client);
  };
  const mayBegin = (gathered: Gathered) =>
    open.values().next().value === gathered ||
    (bytesInAll + expectedBytes <= mostBytes &&
      bytesOfClient(gathered.client) + expectedBytes <= mostBytesPerClient);

  const beginWaiting = () => {
    for (const gathered of open) {
      while (gathered.waiting.length > 0 && mayBegin(gathered)) {
        add(gathered, expectedBytes);
        gathered.waiting.shift()?.();
      }
    }
  };

  return (client) => {
    const gathered: Gathered = { client, bytes: 0, waiting: [] };
    open.add(gathered);
    return {
      bytes: () => gathered.bytes,
      async run(call) {
        if (mayBegin(gathered)) add(gathered, expectedBytes);
        else await new Promise<void>((begin) => gathered.waiting.push(begin));
        let bytes: number | undefined = 0;
        try {
          const answer = await call();
          bytes = bytesOf(answer);
          return answer;
        } finally {
          add(gathered, (bytes ?? expectedBytes) - expectedBytes);
          beginWaiting();
        }
      },
      end() {
        open.delete(gathered);
        add(gathered, -gathered.bytes);
        beginWaiting();
      },
    };
  };
}
