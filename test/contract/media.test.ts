import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { formOf, picture, secretNote } from '../support/pictures.ts';
import { ownerClient } from '../support/rpc.ts';
import { anyId, anyMoment } from '../support/shapes.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ scopes: ['write:media'] });
const token = await app.seed.ownerToken();

const upload = (content: Buffer, form: Parameters<typeof formOf>[1] = {}) =>
  app.post('/api/v2/media', { key, ...formOf(content, form) });

/** A file as an upload answers it. */
const fileOf = ({ body }: { body: unknown }) => body as { id: string; url: string; name: string };

const bytesAt = async (path: string) => Buffer.from(await (await fetch(app.baseUrl + path)).arrayBuffer());

test.for(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)(
  'a %s is kept and described as it is',
  async (format) => {
    const content = await picture(format, { width: 61, height: 41 });
    const answer = await upload(content, { name: `a ${format}` });
    const ending = format === 'jpeg' ? 'jpg' : format;
    const { id } = fileOf(answer);
    expect(answer).toEqual({
      status: 201,
      body: {
        id: anyId,
        url: `/media/${id}/a%20${format}.${ending}`,
        name: `a ${format}.${ending}`,
        type: `image/${format}`,
        size: expect.any(Number),
        width: 61,
        height: 41,
        widths: [],
        created: anyMoment,
      },
    });
  },
);
