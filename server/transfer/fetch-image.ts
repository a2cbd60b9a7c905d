import { Readable } from 'node:stream';
import { rethrown } from '../../shared/importers/index.ts';
import {
  checkWebhookUrl,
  createConnect,
  DeliveryFailure,
  type TargetRule,
} from '../../shared/webhooks/index.ts';
import { ApiError } from '../api/api-error.ts';

/** Maximum size of a fetched image, in bytes. */
export const maxImageBytes = 20_000_000;

/** Time limit for an image, redirects included, in milliseconds. */
const maxMs = 5_000;

const maxRedirects = 3;

/** Number of consecutive failures after which no more images are requested from a host. */
const maxFailures = 5;

const refused = (why: string, cause?: unknown) => new ApiError('validation_failed', why, { cause });

/**
 * Creates a fetcher of images from old sites. It refuses private addresses by the rules for webhooks, also after
 * redirects. If `signal` is aborted, running and later fetches reject with its reason.
 */
export function createImageFetcher(rule: TargetRule, signal: AbortSignal) {
  const connect = createConnect({ ...rule, timeoutMs: maxMs, plainHttp: true });
  const failures = new Map<string, number>();
  const opening = import('undici').then(
    ({ Agent }) =>
      new Agent({
        connect,
        allowH2: false,
        headersTimeout: maxMs,
        bodyTimeout: maxMs,
        maxHeaderSize: 16_384,
      }),
  );
  const failure = (error: unknown) => {
    if (signal.aborted) return signal.reason;
    return error instanceof ApiError ? error : refused(messageOf(error), error);
  };
  const follow = async (address: string, until: AbortSignal, redirects: number): Promise<Readable> => {
    const check = checkWebhookUrl(address, { plainHttp: true });
    if (!check.ok) throw refused(`the URL ${check.reason}`);
    const agent = await opening;
    const { statusCode, headers, body } = await agent.request({
      origin: check.url.origin,
      path: `${check.url.pathname}${check.url.search}`,
      method: 'GET',
      headers: { accept: 'image/*', 'accept-encoding': 'identity' },
      signal: until,
    });
    // An unread body reports an error when it is destroyed. Nothing depends on it.
    body.on('error', () => {});
    const { location } = headers;
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      body.destroy();
      const to = URL.parse(location, check.url)?.href;
      if (to === undefined || redirects === maxRedirects)
        throw refused('the URL redirects too often or to an invalid URL');
      return follow(to, until, redirects + 1);
    }
    if (statusCode !== 200) {
      body.destroy();
      throw refused(`the old site answered with status ${statusCode}`);
    }
    return body;
  };
  return {
    /** Streams an image. Throws `validation_failed` with the reason if it cannot be fetched. */
    async fetch(address: string): Promise<Readable> {
      const host = URL.parse(address)?.host ?? '';
      if ((failures.get(host) ?? 0) >= maxFailures) throw refused('the old site does not answer');
      const until = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
      try {
        const body = await follow(address, until, 0);
        failures.delete(host);
        return Readable.from(rethrown(body, failure));
      } catch (error) {
        if (signal.aborted || error instanceof ApiError) throw failure(error);
        failures.set(host, (failures.get(host) ?? 0) + 1);
        throw failure(error);
      }
    },
    async [Symbol.asyncDispose]() {
      await (await opening).destroy();
    },
  };
}

function messageOf(error: unknown): string {
  if (error instanceof DeliveryFailure && error.kind === 'forbidden_address')
    return 'the URL points to a private network address';
  return 'the old site did not answer in time or closed the connection';
}
