import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { addressKinds } from '../../server/media/media-uses.ts';
import { profileFields } from '../../shared/contract/features/profile.ts';
import type { Fields } from '../../shared/contract/fields.ts';
import { allResources } from '../../shared/contract/resources/index.ts';
import { rowsOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { formOf } from '../support/images.ts';
import { startLearningSite } from '../support/learning-site.ts';
import { refusal } from '../support/rpc.ts';

// Protection of a file changes only while nothing names it, whatever is written at the same time.

const site = await startLearningSite();
const { app, studio, siteId } = site;
await fillWithExample(app.deps, siteId);
const [one, other] = [new pg.Client(app.databaseUrl), new pg.Client(app.databaseUrl)];
await Promise.all([one.connect(), other.connect()]);
afterAll(async () => {
  await Promise.all([one.end(), other.end()]);
  await app[Symbol.asyncDispose]();
});

const key = await app.seed.key({ scopes: ['write:media'] });

async function upload(name: string) {
  const content = Buffer.from(`%PDF-1.7\n${name}\n%%EOF`);
  return (await app.post('/api/v2/media', { key, ...formOf(content, { name }) })).body as {
    id: string;
    url: string;
  };
}

/** Resolves when a statement waits for a lock in the database. */
const untilWaiting = () =>
  eventually(async () => {
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await rowsOf(app, waiting)).length > 0;
  });

const settings: Fields = {};
const tables: [table: string, fields: Fields][] = [
  ...Object.values(allResources).map(({ collection, fields }): [string, Fields] => [collection, fields]),
  ['profiles', profileFields],
  ['sites', settings],
];

test('a write locks the media files that its fields name, and none if they contain no address of a file', async () => {
  const { id, url } = await upload('named.pdf');
  const isLocked = async () =>
    (await other.query('select from media where id = $1 for update skip locked', [id])).rowCount === 0;
  for (const [table, fields] of tables) {
    const values: [column: string, value: string, locks: boolean][] = Object.entries(fields).flatMap(
      ([name, { kind }]): [string, string, boolean][] => {
        if (kind === 'image') return [[name, id, true]];
        return addressKinds.includes(kind)
          ? [
              [name, `a ${url} b`, true],
              [name, 'a', false],
            ]
          : [];
      },
    );
    if (table === 'sites')
      for (const column of ['theme', 'selling', 'newsletter'])
        values.push([column, JSON.stringify({ a: `<${url}>` }), true], [column, '{}', false]);
    expect([table, values.length]).not.toEqual([table, 0]);
    for (const [column, value, locks] of values) {
      await one.query('begin');
      const own = table === 'sites' ? 'id' : 'site_id';
      const { rowCount } = await one.query(
        `update ${table} set "${column}" = $1 where ctid = (select ctid from ${table} where ${own} = $2 limit 1)`,
        [value, siteId],
      );
      expect([table, column, rowCount, await isLocked()]).toEqual([table, column, 1, locks]);
      await one.query('rollback');
    }
  }
});

test('a change of protection waits for a write in progress that names the file, and is refused if that commits', async () => {
  for (const [outcome, at] of [
    ['commit', 0],
    ['rollback', 1],
  ] as const) {
    const { id, url } = await upload(`written-${at}.pdf`);
    await one.query('begin');
    await one.query(
      `update posts set content = $1 where ctid = (select ctid from posts where site_id = $2 limit 1)`,
      [`[File](${url})`, siteId],
    );
    const changing = refusal(studio.media.update.mutate({ id, protected: true })).catch(() => null);
    await untilWaiting();
    await one.query(outcome);
    expect([outcome, await changing]).toEqual([
      outcome,
      outcome === 'commit' ? { code: 'media_in_use', message: expect.any(String) } : null,
    ]);
    expect((await studio.media.get.query({ id })).protected).toBe(outcome === 'rollback');
  }
});

test('a write that names a file waits for a change of its protection', async () => {
  const { id, url } = await upload('changing.pdf');
  const { lessons } = await site.createCourse();
  await one.query('begin');
  await one.query('select from media where id = $1 for update', [id]);
  const writing = studio.lessons.update.mutate({ id: lessons[0] ?? '', content: `[File](${url})` });
  await untilWaiting();
  await one.query('update media set protected = true where id = $1', [id]);
  await one.query('commit');
  await writing;
  expect((await studio.media.uses.query({ id })).data).toMatchObject([{ collection: 'lessons' }]);
});
