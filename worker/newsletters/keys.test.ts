import { expect, test } from 'vitest';
import { startApp } from '../../test/support/app.ts';
import { createMailKeys } from './open-mailings.ts';

test('the cache of mail keys drops the least recently used ones above its limit', async () => {
  await using app = await startApp();
  const { database } = app.deps;
  const keyOf = createMailKeys(app.deps, { max: 2, ttl: 3_600_000 });
  const sites = await Promise.all(['a', 'b', 'c'].map((subdomain) => app.seed.site({ subdomain })));
  const first = await Promise.all(sites.map(keyOf));
  expect(new Set(first).size).toBe(3);
  await database.em.fork().execute('delete from mail_keys');
  const again = [];
  for (const site of sites.toReversed()) again.unshift(await keyOf(site));
  expect(again.map((key, at) => key === first[at])).toEqual([false, true, true]);
});
