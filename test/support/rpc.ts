import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import superjson from 'superjson';
import { type Dispatcher, request } from 'undici';
import type { AppRouter } from '../../server/api/router/app-router.ts';
import type { ErrorCode } from '../../shared/contract/errors.ts';

/** User agent of a browser, whose page views count. */
export const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Creates the typed client with an owner's session. */
export const ownerClient = (baseUrl: string, token: string) =>
  clientWith(baseUrl, { authorization: `Bearer ${token}` });

/** Creates the typed client of a visitor, without credentials except the given headers. */
export const visitorClient = (baseUrl: string, headers: Record<string, string> = {}) =>
  clientWith(baseUrl, { 'user-agent': firefox, ...headers });

/** Creates the typed client with exactly these headers. */
export const clientWith = (baseUrl: string, headers: Record<string, string>) =>
  createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${baseUrl}/trpc`, transformer: superjson, headers, fetch: withAnyHeader })],
  });

/** Sends a request. `fetch` cannot be used, because it does not allow setting Host. */
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

/** Returns the error of a refused call. Throws if the call succeeds. */
export async function refusal(call: Promise<unknown>): Promise<{ code: ErrorCode; message: string }> {
  const error = await call.then(
    (answer) => new Error(`the call succeeded, but an error was expected: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof TRPCClientError)) throw error;
  return { code: error.data?.code, message: error.message };
}
