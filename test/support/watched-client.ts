import { type ApiClient, type ClientOptions, createClient, isApiError } from '../../client/sdk/index.ts';
import type { TestApp } from './app.ts';

/** Creates a client with an API key that records its requests as `<method> <path>`. */
export async function watchedClient(app: TestApp, options: Partial<ClientOptions> = {}) {
  const requests: string[] = [];
  const client = createClient({
    baseUrl: app.baseUrl,
    apiKey: await app.seed.key(),
    fetch(target, init) {
      const url = new URL(String(target));
      requests.push(`${init?.method} ${url.pathname}`);
      return fetch(target, init);
    },
    ...options,
  });
  return { client, requests };
}

export async function createPosts(client: ApiClient, titles: string[]) {
  for (const title of titles) await client.v1.posts.create.mutate({ title });
}

/** Returns the data of the error that a call fails with. */
export async function failureOf(call: Promise<unknown>) {
  const error = await call.catch((cause: unknown) => cause);
  if (!isApiError(error)) throw error;
  return error.data;
}
