import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startApp, type TestApp } from '../support/app.ts';
import { openRaw } from '../support/raw-http.ts';
import recorded from './clients.json' with { type: 'json' };

/** Recorded requests of third-party programs. */
const Clients = z.array(z.strictObject({ from: z.string(), request: z.string(), status: z.int() }));

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app[Symbol.asyncDispose]());

test.for(Clients.parse(recorded))(
  'a request recorded from another HTTP client gets the expected status: $from',
  async ({ request, status }) => {
    const key = await app.seed.key({ scopes: ['read', 'write'] });
    using connection = await openRaw(app.baseUrl);
    connection.send(request.replaceAll('{key}', key).replaceAll('{host}', new URL(app.baseUrl).host));
    const replies = await connection.replies(1);
    expect(replies.map((reply) => reply.status)).toEqual([status]);
  },
);
