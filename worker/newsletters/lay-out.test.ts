import { expect, test } from 'vitest';
import { defaultTheme as theme } from '../../shared/contract/features/theme.ts';
import { FaultyInputError } from '../run-program.ts';
import { layOut } from './prepare-mailing.ts';

const source = (content: string) => ({
  content,
  post: { title: 'News', slug: 'news', excerpt: 'Open.', cover: null, pictures: [] },
  site: { name: 'Ada', language: 'en', theme, origin: 'https://ada.example.com', postalAddress: '' },
  words: { subject: 'News', preheader: '' },
});

test('a body that exceeds the time or number of tags is not mailed, not even as source text', async () => {
  expect((await layOut(source('The *secret*.'))).open.html).toContain('The <em>secret</em>.');
  await expect(layOut(source('The *secret*.'), 1)).rejects.toThrow(FaultyInputError);
  await expect(layOut(source('<i>a</i>'.repeat(15_000)))).rejects.toThrow(FaultyInputError);
});
