import { Agent, type Dispatcher } from 'undici';
import type { DeliveryError } from '../contract/webhooks.ts';
import { type ConnectDeps, createConnect } from './connect.ts';
import { DeliveryFailure } from './delivery-failure.ts';
import { checkWebhookUrl } from './webhook-url.ts';

/** At most this much of an answer's body is read, in bytes, and as much of its headers (DECISIONS 6). */
const answerLimit = 16 * 1024;

/** How long an answer's body may take to end so that its connection can be used again. */
const drainMs = 500;

/** An idle connection ends after this time, however long its receiver offers to keep it. */
const idleLimitMs = 60_000;

type SendRequest = { url: string; headers: Record<string, string>; body: Uint8Array };

/** `statusCode` is null when no answer came. `durationMs` is whole milliseconds from the call to the outcome. */
export type SendResult =
  | { ok: true; statusCode: number; durationMs: number }
  | { ok: false; statusCode: number | null; error: DeliveryError; durationMs: number };

export type WebhookSender = {
  /**
   * One attempt. A complete 2xx head acknowledges, whatever the body does (DECISIONS 11); redirects are not followed.
   * Rejects only when there was no attempt to speak of: the sender was closed, or the headers can't be sent.
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Ends all connections at once. Attempts still in flight reject, so wait for them first. */
  close(): Promise<void>;
};

/** One per process: its connections are kept and used again. `timeoutMs` bounds a whole attempt, name lookup included. */
export function createWebhookSender(deps: ConnectDeps): WebhookSender {
  const agent = new Agent({
    connect: createConnect(deps),
    allowH2: false,
    maxHeaderSize: answerLimit,
    maxResponseSize: answerLimit,
    keepAliveMaxTimeout: idleLimitMs,
    // One timer of our own covers the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const plainHttp = deps.allowCidrs.length > 0;
  return {
    send: async (request) => {
      const check = checkWebhookUrl(request.url, { plainHttp });
      if (!check.ok) return { ok: false, statusCode: null, error: 'forbidden_address', durationMs: 0 };
      return attempt(agent, { ...request, url: check.url, timeoutMs: deps.timeoutMs });
    },
    close: () => agent.destroy(),
  };
}

type Attempt = Omit<SendRequest, 'url'> & { url: URL; timeoutMs: number };

function attempt(agent: Agent, { url, headers, body, timeoutMs }: Attempt): Promise<SendResult> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const outcome = (statusCode: number | null, error: DeliveryError | null) => {
      const durationMs = Math.round(performance.now() - startedAt);
      if (error) resolve({ ok: false, statusCode, error, durationMs });
      else if (statusCode) resolve({ ok: true, statusCode, durationMs });
    };
    const handler = attemptHandler(timeoutMs, outcome, reject);
    agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
      handler,
    );
  });
}

/** The first call of `outcome` or `reject` decides; what comes later concerns the connection only. */
function attemptHandler(
  timeoutMs: number,
  outcome: (statusCode: number | null, error: DeliveryError | null) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  let controller: Dispatcher.DispatchController | null = null;
  let expired = false;
  const expire = () => {
    expired = true;
    outcome(null, 'timeout');
    controller?.abort(new DeliveryFailure('timeout'));
  };
  let timer = setTimeout(expire, timeoutMs);
  return {
    onRequestStart(started) {
      controller = started;
      // The connection came too late: stop before a byte of the request is written.
      if (expired) started.abort(new DeliveryFailure('timeout'));
    },
    onResponseStart(_controller, statusCode) {
      if (statusCode < 200) return;
      outcome(statusCode, errorOfStatus(statusCode));
      clearTimeout(timer);
      timer = setTimeout(expire, drainMs);
    },
    onResponseData() {},
    onResponseEnd() {
      clearTimeout(timer);
    },
    onResponseError(_controller, cause) {
      clearTimeout(timer);
      const error = errorOfCause(cause);
      if (error) outcome(null, error);
      else reject(cause);
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
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'response_too_large';
  if (['UND_ERR_INVALID_ARG', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED'].includes(code)) return null;
  // In TLS 1.3 a receiver that asks for a client certificate says so only after the handshake.
  return code.startsWith('ERR_SSL_') ? 'tls_error' : 'connection_failed';
}
