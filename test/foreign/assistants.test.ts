import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startApp } from '../support/app.ts';

/** Requests that a kit sends to list two posts, in order; and the part of the answer that it shows to its model. */
const Kit = z.strictObject({
  from: z.string(),
  model_sees: z.literal('content'),
  exchanges: z.array(
    z.strictObject({
      method: z.enum(['GET', 'POST']),
      headers: z.record(z.string(), z.string()),
      body: z.looseObject({ method: z.string() }).nullable(),
      status: z.int(),
    }),
  ),
});

const folder = new URL('./assistants/', import.meta.url);
const kits = await Promise.all(
  (await readdir(folder)).map(async (name) =>
    Kit.parse(JSON.parse(await readFile(new URL(name, folder), 'utf8'))),
  ),
);

const Result = z.object({ result: z.object({ content: z.array(z.object({ text: z.string() })) }) });

test.for(kits)(
  'the model in an agent kit of another vendor sees the data that a tool returns: $from',
  async ({ exchanges }) => {
    await using app = await startApp();
    const key = await app.seed.key({ scopes: ['write', 'mcp:read', 'mcp:write'] });
    await app.post('/api/v1/posts', { key, body: { title: 'Seen by a model' } });
    const seen: string[] = [];
    for (const { method, headers, body, status } of exchanges) {
      const reply = await fetch(new URL('/mcp', app.baseUrl), {
        method,
        headers: { ...headers, authorization: `Bearer ${key}` },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(reply.status).toBe(status);
      const text = await reply.text();
      if (body?.method !== 'tools/call') continue;
      seen.push(...Result.parse(JSON.parse(text)).result.content.map((part) => part.text));
    }
    expect(seen.map((text) => JSON.parse(text))).toEqual([
      expect.objectContaining({ data: [expect.objectContaining({ title: 'Seen by a model' })], total: 1 }),
    ]);
  },
);
