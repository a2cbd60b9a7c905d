import type { Dispatcher } from 'undici';
import type { DeliveryError } from '../contract/features/webhooks.ts';
import { lazily } from '../runtime/single-flight.ts';
import { detectStalls, type StallDetector } from '../runtime/stall-detector.ts';
import type { ConnectDeps } from './connect.ts';
import type { Connections, WebhookConnection } from './connections.ts';
import { DeliveryFailure } from './delivery-failure.ts';
import { interimLimit } from './read-response.ts';
import { checkWebhookUrl } from './target.ts';

/** Time that a response body may take to end, in milliseconds, so that the connection can be reused. */
const drainMs = 500;

interface SendRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/**
 * Result of an attempt. `statusCode` is null if no response arrived. `durationMs` is the time from the call to the
 * outcome, in whole milliseconds.
 */
export type SendResult =
  | { ok: true; statusCode: number; durationMs: number }
  | {
      ok: false;
      statusCode: number | null;
      error: DeliveryError;
      durationMs: number;
      /** Set if this process stalled during the attempt. The failure must not count against the receiver. */
      stoodStill?: true;
    };

export interface WebhookSender {
  /**
   * Makes one attempt. A 2xx status line acknowledges the delivery, whatever follows. Redirects are not followed.
   * Rejects only if nothing was attempted: the sender is closed, its client cannot be loaded, or the headers are
   * invalid.
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Closes all connections immediately. Attempts in flight reject, so wait for them first. */
  close(): Promise<void>;
}

/**
 * Creates the sender of a process. Connections are reused. `timeoutMs` limits a whole attempt, including the DNS lookup.
 * `send` resolves to the outcome of the attempt, also if it failed. It rejects only if nothing was attempted.
 */
export function createWebhookSender(deps: ConnectDeps): WebhookSender {
  let opened: Connections | undefined;
  let closed = false;
  // Load the HTTP client with the first attempt: it takes megabytes, and most servers never send.
  const open = lazily(async () => {
    const { createConnections } = await import('./connections.ts');
    if (closed) throw new Error('webhook sender is closed');
    opened = createConnections(deps);
    return opened;
  });
  const stalls = detectStalls();
  const plainHttp = deps.allowCidrs.length > 0;
  return {
    async send(request) {
      const check = checkWebhookUrl(request.url, { plainHttp });
      if (!check.ok) return notSent('forbidden_address');
      return attempt(await open(), stalls, deps.timeoutMs, { ...request, url: check.url });
    },
    async close() {
      closed = true;
      stalls.stop();
      await opened?.close();
    },
  };
}

/** Returns the result of an attempt that ended before anything was sent. */
export const notSent = (error: DeliveryError): SendResult => ({
  ok: false,
  statusCode: null,
  error,
  durationMs: 0,
});

function attempt(
  connections: Connections,
  stalls: StallDetector,
  timeoutMs: number,
  { url, headers, body }: Omit<SendRequest, 'url'> & { url: URL },
): Promise<SendResult> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const mark = stalls.mark();
    const connection = connections.take(url.origin);
    const hasStalled = () => stalls.hasStalledSince(mark);
    const end = (statusCode: number | null, error: DeliveryError | null) => {
      const durationMs = Math.round(performance.now() - startedAt);
      if (error) {
        const excused = statusCode === null && excusable.has(error) && hasStalled();
        resolve({ ok: false, statusCode, error, durationMs, ...(excused && { stoodStill: true as const }) });
      } else if (statusCode) resolve({ ok: true, statusCode, durationMs });
    };
    const handler = attemptHandler(connection, {
      timeoutMs,
      stoodStill: hasStalled,
      answered: (statusCode) => end(statusCode, errorOfStatus(statusCode)),
      failed: (error) => end(null, error),
      rejected: reject,
      over: (usable) => (usable ? connections.giveBack(connection) : connections.drop(connection)),
    });
    const path = url.pathname + url.search;
    connection.client.dispatch({ origin: url.origin, path, method: 'POST', headers, body }, handler);
  });
}

/** Errors that a stall of this process can cause, whatever the receiver does. */
const excusable: ReadonlySet<DeliveryError> = new Set([
  'timeout',
  'dns_failure',
  'connection_failed',
  'tls_error',
]);

/**
 * Callbacks of an attempt. The first call of `answered`, `failed` or `rejected` decides; later ones concern only the
 * connection.
 */
interface Listener {
  timeoutMs: number;
  stoodStill(): boolean;
  answered(statusCode: number): void;
  failed(error: DeliveryError): void;
  rejected(error: Error): void;
  /** Called after the exchange has ended. `usable` is true if the connection can carry another request. */
  over(usable: boolean): void;
}

function attemptHandler(
  { answer, client }: WebhookConnection,
  listener: Listener,
): Dispatcher.DispatchHandler {
  let interims = 0;
  const fail = (error: DeliveryError) => {
    const statusCode = answer.acknowledgedBy();
    if (statusCode === null) listener.failed(error);
    else listener.answered(statusCode);
  };
  const giveUp = () => {
    fail('timeout');
    // Destroy the client: the controller cannot abort while the connection is being established.
    client.destroy(new DeliveryFailure('timeout')).catch(() => {});
  };
  const expire = () => {
    // After a stall, the response may already be in the socket. It is read before a callback of `setImmediate` runs.
    if (listener.stoodStill()) setImmediate(giveUp);
    else giveUp();
  };
  let timer = setTimeout(expire, listener.timeoutMs);
  return {
    onRequestStart: () => answer.begin(),
    onResponseStart(controller, statusCode) {
      if (statusCode < 200) {
        interims += 1;
        if (interims > interimLimit) controller.abort(new DeliveryFailure('response_too_large'));
        return;
      }
      answer.headCame();
      listener.answered(statusCode);
      clearTimeout(timer);
      timer = setTimeout(giveUp, drainMs);
    },
    onResponseData() {},
    onResponseEnd() {
      clearTimeout(timer);
      listener.over(true);
    },
    onResponseError(_controller, cause) {
      clearTimeout(timer);
      const error = errorOfCause(cause);
      if (error) fail(error);
      else listener.rejected(cause);
      listener.over(false);
    },
  };
}

function errorOfStatus(statusCode: number): DeliveryError | null {
  if (statusCode < 300) return null;
  return statusCode < 400 ? 'redirect' : 'http_status';
}

/** Returns null for errors that the receiver did not cause. */
function errorOfCause(cause: Error): DeliveryError | null {
  if (cause instanceof DeliveryFailure) return cause.kind;
  const code = 'code' in cause ? String(cause.code) : '';
  if (['UND_ERR_INVALID_ARG', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED'].includes(code)) return null;
  // In TLS 1.3, a receiver that requires a client certificate reports it only after the handshake.
  return code.startsWith('ERR_SSL_') ? 'tls_error' : 'connection_failed';
}
