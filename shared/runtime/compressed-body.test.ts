import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createCompressedBody } from './compressed-body.ts';

const codings = [
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const;

const words = (length: number) =>
  Array.from({ length: Math.ceil(length / 8) }, (_, number) => `${(number * 7_919) % 99_991} wörds `)
    .join('')
    .slice(0, length);

const lengths = [0, 1, 250, 1_000, 16_121, 16_122, 16_384, 65_274, 65_535, 65_536, 200_000];

test.for(codings)('a text of any length is the same after %s and decompression', async ([coding, open]) => {
  for (const length of lengths) {
    const text = words(length);
    const answer = createCompressedBody(text);
    expect(open(await answer.as(coding)).toString()).toBe(text);
  }
});

test('the plain, gzip and Brotli forms of a body have the same bytes before and after they were written', async () => {
  const answer = createCompressedBody(words(9_000));
  const forms = async () => [answer.plain(), await answer.as('gzip'), await answer.as('br')];
  const before = await forms();
  const written = ([null, 'gzip', 'br'] as const).map((coding) =>
    Buffer.from(String(answer.written(coding)), 'latin1'),
  );
  expect(written).toEqual(before);
  expect(await forms()).toEqual(before);
});

test('a compressed form of a body that was never requested cannot be written', () => {
  expect(createCompressedBody(words(9_000)).written('br')).toBeUndefined();
});

test('two concurrent requests share one compression', async () => {
  const answer = createCompressedBody(words(9_000));
  const [one, other] = await Promise.all([answer.as('br'), answer.as('br')]);
  expect(one).toBe(other);
});

test('no form of a compressed body occupies more memory than its bytes', async () => {
  for (const length of [10, 3_000, 40_000]) {
    const answer = createCompressedBody(words(length));
    for (const bytes of [answer.plain(), await answer.as('gzip'), await answer.as('br')])
      expect(bytes.buffer.byteLength).toBe(bytes.length);
  }
});
