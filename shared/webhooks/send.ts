import type { Dispatcher } from 'undici';
import type { DeliveryError } from '../contract/features/webhooks.ts';
import { lazily } from '../runtime/single-flight.ts';
import { type StandstillWatch, watchStandstills } from '../runtime/standstill.ts';
import { interimLimit } from './answer.ts';
import type { ConnectDeps } from './connect.ts';
import type { Connection, Connections } from './connections.ts';
import { DeliveryFailure } from './delivery-failure.ts';
import { checkWebhookUrl } from './target.ts';

/** How long an answer's body may take to end so that its connection can be used again. */
const drainMs = 500;

interface SendRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** `statusCode` is null when no answer came. `durationMs` is whole milliseconds from the call to the outcome. */
export type SendResult =
  | { ok: true; statusCode: number; durationMs: number }
  | {
      ok: false;
      statusCode: number | null;
      error: DeliveryError;
      durationMs: number;
      /** This process stood still meanwhile, so the failure says nothing of the receiver. */
      stoodStill?: true;
    };

export interface WebhookSender {
  /**
   * One attempt. A 2xx status line acknowledges, whatever follows; redirects are not followed. Rejects only when
   * nothing was attempted: the sender was closed, its client can't be loaded, or the headers can't be sent.
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Ends all connections at once. Attempts still in flight reject, so wait for them first. */
  close(): Promise<void>;
}

/** One per process: its connections are kept and used again. `timeoutMs` bounds a whole attempt, name lookup included. */
export function createWebhookSender(deps: ConnectDeps): WebhookSender {
  let opened: Connections | undefined;
  let closed = false;
  // The client takes megabytes, and most servers never send.
  const open = lazily(async () => {
    const { createConnections } = await import('./connections.ts');
    if (closed) throw new Error('webhook sender is closed');
    opened = createConnections(deps);
    return opened;
  });
  const standstills = watchStandstills();
  const plainHttp = deps.allowCidrs.length > 0;
  return {
    async send(request) {
      const check = checkWebhookUrl(request.url, { plainHttp });
      if (!check.ok) return notSent('forbidden_address');
      return attempt(await open(), standstills, deps.timeoutMs, { ...request, url: check.url });
    },
    async close() {
      closed = true;
      standstills.stop();
      await opened?.close();
    },
  };
}

/** The result of an attempt that ended before anything was sent. */
export const notSent = (error: DeliveryError): SendResult => ({
  ok: false,
  statusCode: null,
  error,
  durationMs: 0,
});

function attempt(
  connections: Connections,
  standstills: StandstillWatch,
  timeoutMs: number,
  { url, headers, body }: Omit<SendRequest, 'url'> & { url: URL },
): Promise<SendResult> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const mark = standstills.mark();
    const connection = connections.take(url.origin);
    const stoodStill = () => standstills.stoodStillSince(mark);
    const end = (statusCode: number | null, error: DeliveryError | null) => {
      const durationMs = Math.round(performance.now() - startedAt);
      if (error) {
        const excused = statusCode === null && excusable.has(error) && stoodStill();
        resolve({ ok: false, statusCode, error, durationMs, ...(excused && { stoodStill: true as const }) });
      } else if (statusCode) resolve({ ok: true, statusCode, durationMs });
    };
    const handler = attemptHandler(connection, {
      timeoutMs,
      stoodStill,
      answered: (statusCode) => end(statusCode, errorOfStatus(statusCode)),
      failed: (error) => end(null, error),
      rejected: reject,
      over: (usable) => (usable ? connections.giveBack(connection) : connections.drop(connection)),
    });
    const path = url.pathname + url.search;
    connection.client.dispatch({ origin: url.origin, path, method: 'POST', headers, body }, handler);
  });
}

/** What happens to an attempt while its own process does nothing, whatever its receiver does. */
const excusable: ReadonlySet<DeliveryError> = new Set([
  'timeout',
  'dns_failure',
  'connection_failed',
  'tls_error',
]);

/** What is told of an attempt: the first of the first three decides, later ones concern the connection only. */
interface Listener {
  timeoutMs: number;
  stoodStill(): boolean;
  answered(statusCode: number): void;
  failed(error: DeliveryError): void;
  rejected(error: Error): void;
  /** Nothing more comes; `usable` says whether the connection can carry another request. */
  over(usable: boolean): void;
}

function attemptHandler({ answer, client }: Connection, listener: Listener): Dispatcher.DispatchHandler {
  let interims = 0;
  const fail = (error: DeliveryError) => {
    const statusCode = answer.acknowledgedBy();
    if (statusCode === null) listener.failed(error);
    else listener.answered(statusCode);
  };
  const giveUp = () => {
    fail('timeout');
    // Not the controller's abort: there is none while the connection is being made.
    client.destroy(new DeliveryFailure('timeout')).catch(() => {});
  };
  const expire = () => {
    // After a standstill the answer may have come long ago: it is read before what is set for the next turn is run.
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

/** Null for what is no failure of the receiver's. */
function errorOfCause(cause: Error): DeliveryError | null {
  if (cause instanceof DeliveryFailure) return cause.kind;
  const code = 'code' in cause ? String(cause.code) : '';
  if (['UND_ERR_INVALID_ARG', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED'].includes(code)) return null;
  // In TLS 1.3 a receiver that asks for a client certificate says so only after the handshake.
  return code.startsWith('ERR_SSL_') ? 'tls_error' : 'connection_failed';
}
