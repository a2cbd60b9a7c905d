import type { Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, Registry } from 'prom-client';
import { z } from 'zod';

/** What a process is sent to answer with its metrics. */
export const metricsQuestion = 'metrics';

/** How long a process may take to answer; after that what it said before stands. */
const timeoutMs = 1_000;

/** A process's metrics, as prom-client writes and sums them. */
const Metrics = z.array(z.looseObject({ type: z.string() }));

type Metrics = z.infer<typeof Metrics>;

/** The metrics of several processes as those of one: what was counted stays counted when processes are replaced. */
export function sumMetrics(serving: () => Iterable<Worker>) {
  const known = new Map<Worker, Metrics>();
  let past = Promise.resolve<object[]>([]);
  const ask = async (worker: Worker) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const hear = (message: unknown) => {
      const { data } = Metrics.safeParse(message);
      if (data) known.set(worker, data);
      resolve();
    };
    worker.once('message', hear);
    worker.send(metricsQuestion, () => {});
    await Promise.race([promise, delay(timeoutMs, undefined, { ref: false })]);
    worker.off('message', hear);
  };
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    async metrics() {
      await Promise.all([...serving()].map(ask));
      const ended = await past;
      return AggregatorRegistry.aggregate([...known.values(), ended]).metrics();
    },
    /** Learns what a process has counted so far. */
    ask,
    /** Keeps what a process that has ended was last known to have counted. */
    keep(worker: Worker) {
      const counted = known.get(worker)?.filter(({ type }) => type !== 'gauge') ?? [];
      known.delete(worker);
      past = past.then((ended) => AggregatorRegistry.aggregate([counted, ended]).getMetricsAsJSON());
    },
  };
}
