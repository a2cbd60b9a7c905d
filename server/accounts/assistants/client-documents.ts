import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { signIn } from '../../../shared/contract/features/assistants.ts';
import { Registration } from '../../../shared/contract/features/oauth.ts';
import { createConcurrencyQuota } from '../../../shared/db/concurrency-quota.ts';
import { parseJson } from '../../../shared/runtime/parse-json.ts';
import { singleFlightByKey } from '../../../shared/runtime/single-flight.ts';
import { checkWebhookUrl, createConnect } from '../../../shared/webhooks/index.ts';
import type { Infrastructure } from '../../api/deps.ts';
import { isAmbiguous } from './addresses.ts';
import { type AskingClient, describedClient } from './clients.ts';

const rules = signIn.document;

/** Maximum number of clients with a cached document; the least recently used ones are dropped. */
const maxCached = 1_000;

export type Documents = (clientId: string) => Promise<AskingClient | null>;

/**
 * Creates a finder of clients whose id is the URL of a document about them
 * (draft-ietf-oauth-client-id-metadata-document). It is fetched only from addresses that webhooks may use, without
 * following redirects. Documents are cached as their headers specify, failures for `rules.keptMs.failure`. The finder
 * returns null if the document cannot be read or describes another client. It rejects with `DatabaseBusyError` if too
 * many requests wait for documents.
 */
export function createClientDocuments({ webhooks: { rule }, clock, timeouts }: Infrastructure): Documents {
  const timeoutMs = timeouts.documentMs;
  const connect = createConnect({ ...rule, timeoutMs });
  const cached = new LRUCache<string, { client: AskingClient; untilMs: number }>({ max: maxCached });
  // A separate cache, so that unreachable addresses do not evict documents.
  const failed = new LRUCache<string, number>({ max: maxCached });
  const inTurn = createConcurrencyQuota(rules.atOnce);

  const fetchDocument = async (id: string, url: URL) => {
    const { Agent } = await import('undici');
    const agent = new Agent({ connect, allowH2: false, maxHeaderSize: 16_384 });
    try {
      const { statusCode, headers, body } = await agent.request({
        ...{ origin: url.origin, path: `${url.pathname}${url.search}`, method: 'GET' },
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
        signal: AbortSignal.timeout(timeoutMs),
      });
      // A body that is not read completely emits an error, which does not matter.
      body.on('error', () => {});
      if (statusCode !== 200) return null;
      const client = clientIn(await textOf(body), id, url.host);
      return client && { client, keptMs: keptMsOf(headers, clock.now()) };
    } finally {
      await agent.destroy();
    }
  };

  const find = singleFlightByKey(async (id: string) => {
    const earlier = cached.get(id);
    if (earlier && earlier.untilMs > clock.sinceStart()) return earlier.client;
    if ((failed.get(id) ?? 0) > clock.sinceStart()) return null;
    const check = checkWebhookUrl(id, { plainHttp: false });
    if (!check.ok || isAmbiguous(id) || check.url.pathname === '/') return null;
    const fetched = await inTurn(check.url.host, () => fetchDocument(id, check.url).catch(() => null));
    if (!fetched) {
      failed.set(id, clock.sinceStart() + rules.keptMs.failure);
      return null;
    }
    cached.set(id, { client: fetched.client, untilMs: clock.sinceStart() + fetched.keptMs });
    return fetched.client;
  });
  return (id) => find(id, id);
}

/** Reads a body as text. Throws if it is too large or not UTF-8. */
async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > rules.maxBytes) throw new Error('the client metadata document is too large');
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

const Document = Registration.extend({ client_id: z.string() });

function clientIn(text: string, id: string, host: string): AskingClient | null {
  const { data } = Document.safeParse(parseJson(text));
  return data?.client_id === id ? describedClient(data, { id, host }) : null;
}

/** Returns the cache lifetime of a document by its headers, in milliseconds (RFC 9111, 5.2.2). */
function keptMsOf({ 'cache-control': control, expires }: IncomingHttpHeaders, now: Date): number {
  const { min, max } = rules.keptMs;
  const said = `${control ?? ''}`;
  const [, seconds] = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(said) ?? [];
  const ms = seconds === undefined ? Date.parse(`${expires ?? ''}`) - now.getTime() : Number(seconds) * 1_000;
  if (/\bno-(store|cache)\b/i.test(said) || Number.isNaN(ms)) return min;
  return Math.min(Math.max(ms, min), max);
}
