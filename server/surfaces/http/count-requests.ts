import { Counter, Histogram, type Registry } from 'prom-client';
import type { Report } from './request-log.ts';

/** Upper bounds of the histogram's buckets, in seconds: an answer from memory takes a fraction of a millisecond. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts answers by method, route and status, and how long they took. Paths nobody serves are one route. */
export function createMeters(registry: Registry): Report {
  const labelNames = ['method', 'route', 'status'] as const;
  const registers = [registry];
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'HTTP responses by method, route and status',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its response, in seconds',
    labelNames,
    registers,
    buckets,
  });
  const calls = new Counter({
    name: 'calls_total',
    help: 'RPC procedures and assistant tools called, by name and outcome',
    labelNames: ['name', 'outcome'],
    registers,
  });
  return ({ method, route, status, calls: made, ms, followed }) => {
    const labels = { method, route: route ?? 'unknown', status };
    requests.inc(labels);
    if (!followed) durations.observe(labels, ms / 1_000);
    for (const { name, error = 'ok' } of made) calls.inc({ name, outcome: error });
  };
}
