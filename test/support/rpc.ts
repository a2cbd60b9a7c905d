import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import superjson from 'superjson';
import { type Dispatcher, request } from 'undici';
import type { AppRouter } from '../../server/api/router/app-router.ts';
import type { ErrorCode } from '../../shared/contract/errors.ts';

/** An agent of a person, whose page views count. */
export const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** The typed client, with an owner's session. */
export const ownerClient = (baseUrl: string, token: string) =>
  clientWith(baseUrl, { authorization: `Bearer ${token}` });

/** The typed client of somebody at the site, with no credential but the headers given. */
export const visitorClient = (baseUrl: string, headers: Record<string, string> = {}) =>
  clientWith(baseUrl, { 'user-agent': firefox, ...headers });

/** The typed client, with these headers and no others. */
export const clientWith = (baseUrl: string, headers: Record<string, string>) =>
  createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${baseUrl}/trpc`, transformer: superjson, headers, fetch: withAnyHeader })],
  });

/** Not `fetch`, which lets nobody set Host. */
async function withAnyHeader(
  url: unknown,
  init: { method?: string; headers?: unknown; body?: unknown } = {},
) {
  const { statusCode, body } = await request(String(url), {
    method: init.method as Dispatcher.HttpMethod,
    headers: init.headers as Record<string, string>,
    body: (init.body as string | undefined) ?? null,
  });
  return { ok: statusCode < 400, status: statusCode, json: () => body.json() };
}

/** What a call was refused with; throws when it was not. */
export async function refusal(call: Promise<unknown>): Promise<{ code: ErrorCode; message: string }> {
  const error = await call.then(
    (answer) => new Error(`it was answered: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof TRPCClientError)) throw error;
  return { code: error.data?.code, message: error.message };
}
