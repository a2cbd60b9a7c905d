/** Of bodies that have not come whole, over all requests of a process that bring no file. */
const mostBytes = 32 * 1024 * 1024;

const checkMs = 100;

/** A body that has begun to come. */
export interface UnfinishedBody {
  /** Who sends it. */
  client: string;
  /** What has come of it so far. */
  bytes(): number;
  /** Ends its request. */
  end(): void;
}

/**
 * Bounds what bodies take that nobody may ever send whole, before it is known whose they are. Over the bound, requests of
 * the client whose bodies take most are ended, the oldest first.
 */
export function boundUnfinishedBodies() {
  const bodies = new Set<UnfinishedBody>();
  let timer: NodeJS.Timeout | undefined;

  const check = () => {
    const sizes = new Map([...bodies].map((body) => [body, body.bytes()]));
    let inAll = sum(sizes.values());
    while (inAll > mostBytes) {
      const body = oldestOfLargest(sizes);
      if (!body) return;
      inAll -= sizes.get(body) ?? 0;
      sizes.delete(body);
      bodies.delete(body);
      body.end();
    }
  };

  return {
    add(body: UnfinishedBody) {
      bodies.add(body);
      timer ??= setInterval(check, checkMs).unref();
    },
    delete(body: UnfinishedBody) {
      bodies.delete(body);
      if (bodies.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function oldestOfLargest(sizes: ReadonlyMap<UnfinishedBody, number>): UnfinishedBody | undefined {
  const byClient = [...Map.groupBy(sizes.keys(), ({ client }) => client).values()];
  const sizeOf = (bodies: readonly UnfinishedBody[]) => sum(bodies.map((body) => sizes.get(body) ?? 0));
  const [largest] = byClient.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return largest?.[0];
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);
