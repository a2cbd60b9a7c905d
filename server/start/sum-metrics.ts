import type { Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, Registry } from 'prom-client';
import { z } from 'zod';

export const metricsQuestion = 'metrics';

/** Timeout of a process's answer in milliseconds; its previous metrics are used after that. */
const timeoutMs = 1_000;

/** Metrics of a process in prom-client's JSON form. */
const Metrics = z.array(z.looseObject({ type: z.string() }));

type Metrics = z.infer<typeof Metrics>;

/** Creates a source of metrics that sums those of several processes. Counts of ended processes remain included. */
export function sumMetrics(serving: () => Iterable<Worker>) {
  const known = new Map<Worker, Metrics>();
  let past = Promise.resolve<object[]>([]);
  const request = async (worker: Worker) => {
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
      await Promise.all([...serving()].map(request));
      const ended = await past;
      return AggregatorRegistry.aggregate([...known.values(), ended]).metrics();
    },
    request,
    /** Keeps the last known counts of a process that ended; its gauges are dropped. */
    keep(worker: Worker) {
      const counted = known.get(worker)?.filter(({ type }) => type !== 'gauge') ?? [];
      known.delete(worker);
      past = past.then((ended) => AggregatorRegistry.aggregate([counted, ended]).getMetricsAsJSON());
    },
  };
}
