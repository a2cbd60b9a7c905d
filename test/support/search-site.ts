import { expect } from 'vitest';
import type { Found } from '../../shared/contract/features/search.ts';
import { startApp, type TestAppOptions } from './app.ts';
import type { Values } from './content.ts';
import { ownerClient } from './rpc.ts';

/** Starts an app with a site whose content is searched. Dispose of it. */
export async function startSearchSite(options: TestAppOptions = {}) {
  const app = await startApp(options);
  const key = await app.seed.key({ scopes: ['read', 'write', 'mcp:read', 'read:content'] });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());

  async function write(collection: string, values: Values) {
    // Gives each record a later creation time than the one before.
    app.clock.advance({ minutes: 1 });
    const { status, body } = await app.post(`/api/v1/${collection}`, { key, body: values });
    expect([status, values]).toEqual([201, values]);
    return (body as { id: string }).id;
  }

  async function search(q: string, more = '') {
    const { status, body } = await app.get(`/api/v1/search?q=${encodeURIComponent(q)}${more}`, { key });
    expect([status, q, body]).toEqual([200, q, body]);
    return body as { data: Found[]; nearest: boolean };
  }

  const titles = async (q: string, more = '') => (await search(q, more)).data.map(({ title }) => title);

  return Object.assign(app, { key, studio, write, search, titles });
}
