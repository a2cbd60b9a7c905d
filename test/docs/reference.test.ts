import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { block, pageOfToday, referencePages, tableNames } from './reference.ts';

test.for(referencePages)(
  'the tables of %s are those of the code; `pnpm build:docs` updates them',
  async (page) => {
    expect(await readFile(page, 'utf8')).toBe(await pageOfToday(page));
  },
);

test('every generated table is on one page, and has fewer than 8 columns', async () => {
  const texts = await Promise.all(referencePages.map((page) => readFile(page, 'utf8')));
  const blocks = texts.flatMap((text) => [...text.matchAll(block)]);

  expect(blocks.map(([, , name]) => name).toSorted()).toEqual(tableNames.toSorted());
  const heads = blocks.map(([text]) => /^\|.*\|$/m.exec(text)?.[0] ?? '');
  expect(heads.filter((head) => head.split(' | ').length >= 8)).toEqual([]);
});
