/** How much the answers may take that requests gather before they send them together. */
interface Budget {
  mostBytes: number;
  mostBytesPerClient: number;
  /** What a call is expected to take until it has answered. */
  expectedBytes: number;
  /** What an answer takes; undefined when nobody knows, so that it counts as expected. */
  bytesOf(answer: unknown): number | undefined;
}

/** The calls of one request. */
export interface Gathering {
  /** Runs a call when its turn comes. */
  run<T>(call: () => Promise<T>): Promise<T>;
  bytes(): number;
  /** To be called when the answers are sent or given up. */
  end(): void;
}

interface Gathered {
  client: string;
  bytes: number;
  waiting: (() => void)[];
}

/**
 * Bounds the memory of answers that wait for the others of their batch: over the budget, or over what a client may have of
 * it, calls wait before they ask the database. The request that began first never waits, or all could wait for each other;
 * so the bound may be exceeded by what one request asks for.
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
