import { afterAll, expect, test } from 'vitest';
import { getArchiveTable } from '../../server/transfer/archive/archive-tables.ts';
import { insertRows } from '../../server/transfer/site-rows.ts';
import { startApp } from '../support/app.ts';
import { archiveOf, importBytes } from '../support/archives.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

// Redirects of archives and imports.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const { studio } = ownerClient(
  app.baseUrl,
  await app.seed.ownerToken(await app.seed.site({ subdomain: 'home' })),
);

test('redirects belong to one site, and are part of its archive', async () => {
  const own = await app.seed.site({ subdomain: 'old-home' });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(own)).studio;
  await theirs.redirects.create.mutate({ from: '/alone', to: '/cv' });
  const { id } = await theirs.redirects.create.mutate({ from: '/second', to: 'https://a.example/' });
  expect(await refusal(studio.redirects.update.mutate({ id, to: '/cv' }))).toMatchObject({
    code: 'not_found',
  });
  expect(await refusal(studio.redirects.delete.mutate({ id }))).toMatchObject({ code: 'not_found' });
  expect((await studio.redirects.list.query({ q: '/alone' })).total).toBe(0);
  const archive = await archiveOf(app, own);
  await using there = await startApp();
  expect((await importBytes(there, archive)).counts).toMatchObject({ refused: 0 });
  const elsewhere = createVisitor(there.baseUrl);
  expect((await elsewhere('/alone/')).headers.location).toBe('/cv');
  expect((await archiveOf(there, own)).equals(archive)).toBe(true);
});

test('chains that an import created redirect to their end, and loops are not found', async () => {
  const own = await app.seed.site({ subdomain: 'chained' });
  const at = new Date().toISOString();
  const row = (from: string, to: string, id: string) => ({
    ...{ id, from, to, permanent: true, collection: '', record_id: '', created: at, updated: at },
  });
  await insertRows({ em: app.deps.database.em, siteId: own }, getArchiveTable('redirects'), [
    row('/a', '/b', 'aaaaaaaaaaaaaaa'),
    row('/b', '/cv', 'bbbbbbbbbbbbbbb'),
    row('/c', '/d', 'ccccccccccccccc'),
    row('/d', '/c', 'ddddddddddddddd'),
  ]);
  const there = createVisitor(app.baseUrl, 'chained.localhost');
  expect((await there('/a')).headers.location).toBe('/cv');
  expect((await there('/c')).status).toBe(404);
});

/** Archive of a site with these redirects. */
async function archiveWith(pairs: readonly (readonly [from: string, to: string])[]) {
  const own = await app.seed.site({ subdomain: `of-${pairs.length}-${pairs[0]?.[0].slice(1)}` });
  const at = new Date().toISOString();
  const rows = pairs.map(([from, to], position) => ({
    ...{ id: `r${String(position).padStart(14, '0')}`, from, to, permanent: true },
    ...{ collection: '', record_id: '', created: at, updated: at },
  }));
  await insertRows({ em: app.deps.database.em, siteId: own }, getArchiveTable('redirects'), rows);
  return archiveOf(app, own);
}

const ways = (
  report: readonly { collection: string; title: string; outcome: string; reason: string | null }[],
) =>
  Object.fromEntries(
    report
      .filter(({ collection }) => collection === 'redirects')
      .map(({ title, outcome, reason }) => [title, reason === null ? outcome : `${outcome}: ${reason}`]),
  );

test('redirects of an archive are imported without loops and chains, and changes are reported', async () => {
  const archive = await archiveWith([
    ['/a', '/b'],
    ['/b', '/c'],
    ['/c', '/a'],
    ['/d', '/e?x=1'],
    ['/e', '/f'],
    ['/f', 'https://elsewhere.example/f'],
    ['/g', 'https://one.example/h'],
    ['/h', 'https://one.example/g'],
    ['/i', '/i'],
    ['/j', '/j-there'],
    ['/k', '/l'],
  ]);
  const own = await app.seed.site({ subdomain: 'filled' });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(own)).studio.redirects;
  await theirs.create.mutate({ from: '/before', to: '/j?y=2' });
  await theirs.create.mutate({ from: '/l', to: '/cv' });
  await theirs.create.mutate({ from: '/c', to: '/talks' });

  const expected = {
    '/a': 'created: Target changed to the final one: /b is redirected itself',
    '/b': 'created: Target changed to the final one: /c is redirected itself',
    '/c': 'skipped: Already on this site: a record with the same from',
    '/d': 'created: Target changed to the final one: /e?x=1 is redirected itself',
    '/e': 'created: Target changed to the final one: /f is redirected itself',
    '/f': 'created',
    '/g': 'refused: Not imported: the redirect is part of a loop',
    '/h': 'created',
    '/i': 'refused: Not imported: the redirect is part of a loop',
    '/j': 'created',
    '/k': 'created: Target changed to the final one: /l is redirected itself',
  };
  const tried = await importBytes(app, archive, { siteId: own, dryRun: true });
  expect(ways(tried.report)).toEqual(expected);
  const { report } = await importBytes(app, archive, { siteId: own });
  expect(ways(report)).toEqual(expected);

  const { items } = await theirs.list.query({ per_page: 100 });
  expect(Object.fromEntries(items.map(({ from, to }) => [from, to]))).toEqual({
    ...{ '/a': '/talks', '/b': '/talks', '/c': '/talks', '/before': '/j-there', '/j': '/j-there' },
    ...{ '/d': 'https://elsewhere.example/f', '/e': 'https://elsewhere.example/f' },
    ...{ '/f': 'https://elsewhere.example/f', '/h': 'https://one.example/g', '/k': '/cv', '/l': '/cv' },
  });
});

test('an archive cannot exceed the maximum number of redirects', async () => {
  const own = await app.seed.site({ subdomain: 'brim-by-archive' });
  await app.deps.database.em.getConnection().execute(
    `insert into redirects (site_id, id, "from", "to", permanent, collection, record_id, created, updated)
     select '${own}', 'f' || lpad(n::text, 14, '0'), '/full-' || n, '/cv', true, '', '', now(), now() from generate_series(1, 9999) n`,
  );
  const { report } = await importBytes(
    app,
    await archiveWith([
      ['/m', '/cv'],
      ['/n', '/cv'],
    ]),
    { siteId: own },
  );
  expect(ways(report)).toEqual({
    '/m': 'created',
    '/n': 'refused: Not imported: a site can have at most 10000 redirects',
  });
});
