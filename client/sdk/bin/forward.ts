import { deliveryHeaders } from '../../../shared/webhooks/sign.ts';
import type { LoggedEvent } from '../index.ts';

interface Target {
  url: URL;
  secret: string;
  signal: AbortSignal;
}

/** What became of one event. */
export interface ForwardOutcome {
  /** What was answered; null for nothing. */
  status: number | null;
  ms: number;
  /** Why nothing was answered. */
  reason: string | undefined;
}

/** As long as a delivery may take. */
const timeoutMs = 10_000;

/** Sends an event on as a delivery of it, whose id is the event's: it stays the same if the event is sent on again. */
export async function forward(logged: LoggedEvent, { url, secret, signal }: Target): Promise<ForwardOutcome> {
  const { id, event, timestamp, data } = logged;
  const body = Buffer.from(JSON.stringify({ event, timestamp, data }));
  const headers = deliveryHeaders({ event, deliveryId: id, secret, body, sentAt: new Date() });
  const startedAt = performance.now();
  const outcome = (status: number | null, reason?: string): ForwardOutcome => ({
    status,
    ms: Math.round(performance.now() - startedAt),
    reason,
  });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return outcome(response.status);
  } catch (error) {
    signal.throwIfAborted();
    return outcome(null, reasonOf(error, url));
  }
}

function reasonOf(error: unknown, url: URL): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} seconds`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const isRefused = 'code' in cause && cause.code === 'ECONNREFUSED';
  return isRefused ? `nothing listens at ${url.origin}: start your program` : cause.message;
}
