import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { archiveOf, importBytes } from '../support/archives.ts';
import { startDemoSite } from '../support/demo-site.ts';

test('a site that is exported, imported elsewhere and exported again gives the same archive, byte for byte', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();
  const archive = await archiveOf(here, here.siteId);

  const imported = await importBytes(there, archive);

  expect(imported.siteId).toBe(here.siteId);
  expect(imported.report.filter(({ outcome }) => outcome !== 'created')).toEqual([]);
  expect((await archiveOf(there, here.siteId)).equals(archive)).toBe(true);
  const { rows } = await sql<{ events: number }>`select count(*)::integer as events from events`.execute(there.deps.database.em.getKysely());
  expect(rows).toEqual([{ events: 0 }]);
});
