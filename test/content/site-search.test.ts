import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { withoutAccents, withoutMarks } from '../../server/api/search-text.ts';
import type { Found } from '../../shared/contract/features/search.ts';
import { connectAssistant } from '../support/assistant.ts';
import { repeatText } from '../support/attacks/attacker.ts';
import { startSearchSite } from '../support/search-site.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startSearchSite();
const { key, studio, write, search, titles } = app;
afterAll(() => app[Symbol.asyncDispose]());

test('one search covers all kinds of content, with equal results over REST, RPC and for assistants', async () => {
  const post = { title: 'Quince jam', slug: 'quince-jam', excerpt: 'Boil <b>it</b> & stir', content: '' };
  const id = await write('posts', post);
  const project = await write('projects', {
    title: 'Presses',
    description: 'A press for [a quince](https://example.com).',
  });
  const course = await write('courses', { title: 'Orchards', learning_outcomes: ['Graft a quince'] });
  const talk = await write('talks', { title: 'Trees', event: 'Quince Days' });
  app.clock.advance({ minutes: 1 });
  const page = await studio.pages.create.mutate({ title: 'About', content: 'I grow **quince** trees.' });
  const expected = {
    data: [
      {
        type: 'posts',
        id,
        title: 'Quince jam',
        slug: 'quince-jam',
        url: '/posts/quince-jam',
        snippet: 'Boil it &amp; stir',
      },
      {
        type: 'pages',
        id: page.id,
        title: 'About',
        slug: 'about',
        url: '/about',
        snippet: 'I grow <mark>quince</mark> trees.',
      },
      {
        type: 'talks',
        id: talk,
        title: 'Trees',
        slug: null,
        url: '/talks',
        snippet: '<mark>Quince</mark> Days',
      },
      {
        type: 'courses',
        id: course,
        title: 'Orchards',
        slug: 'orchards',
        url: '/courses/orchards',
        snippet: 'Graft a <mark>quince</mark>',
      },
      {
        type: 'projects',
        id: project,
        title: 'Presses',
        slug: 'presses',
        url: '/projects/presses',
        snippet: 'A press for a <mark>quince</mark>.',
      },
    ],
    nearest: false,
  };
  expect(await search('quince')).toEqual(expected);
  const rpc = await app.get(
    `/trpc/v1.search?input=${encodeURIComponent(JSON.stringify({ json: { q: 'quince' } }))}`,
    { key },
  );
  expect(rpc.body).toMatchObject({ result: { data: { json: expected } } });
  await using assistant = await connectAssistant(app, key);
  // The tool leaves out fields that are null.
  expect(expected).toMatchObject((await assistant.callTool('search', { q: 'quince' })) as object);
  expect(await titles('quince', '&types=talks,pages')).toEqual(['About', 'Trees']);
  expect(await titles('quince', '&limit=1')).toEqual(['Quince jam']);
  for (const requested of [
    '',
    '?q=',
    '?q=a&types=skills',
    '?q=a&limit=0',
    `?q=${'a'.repeat(10_000)}`,
    '?q=%00',
  ])
    expect(await app.get(`/api/v1/search${requested}`, { key })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
});

test('an assistant finds only kinds of content that its scopes allow', async () => {
  await using assistant = await connectAssistant(
    app,
    await app.seed.key({ scopes: ['mcp:talks:read', 'mcp:posts:read'] }),
  );
  const { data } = (await assistant.callTool('search', { q: 'quince' })) as { data: Found[] };
  expect(data.map(({ type }) => type)).toEqual(['posts', 'talks']);
  for (const type of ['courses', 'pages'])
    expect(await assistant.callTool('search', { q: 'quince', types: [type] })).toMatchObject({
      error: { code: 'insufficient_scope' },
    });
});

test('titles rank above texts, all words above some, recent records above old ones; quotes and minus work', async () => {
  await write('posts', { title: 'Old willow', content: 'weaving' });
  await write('posts', { title: 'Willow', content: 'soaking' });
  await write('posts', { title: 'Baskets', content: 'Of willow, by weaving the rods' });
  await write('posts', { title: 'Fences', content: 'The willow rods come before any weaving' });
  await write('projects', { title: 'Weaving willow', description: '' });
  expect(await titles('willow')).toEqual(['Weaving willow', 'Willow', 'Old willow', 'Fences', 'Baskets']);
  expect(await titles('willow weaving')).toEqual([
    'Weaving willow',
    'Old willow',
    'Fences',
    'Baskets',
    'Willow',
  ]);
  expect(await titles('"weaving willow"')).toEqual(['Weaving willow']);
  expect(await titles('"willow rods"')).toEqual(['Fences']);
  expect(await titles('willow -weaving')).toEqual(['Willow']);
  expect(await titles('-weaving')).toEqual([]);
});

test("search finds inflected forms of the site's language, from the change of the language on", async () => {
  await write('posts', { title: 'Marathon', content: 'She kept running. Viele Häuser, ein Läufer.' });
  await write('posts', { title: 'Sprint', content: 'He runs, and stood by das Haus' });
  expect(await titles('run')).toEqual(['Sprint', 'Marathon']);
  expect(await titles('Läufern')).toEqual([]);
  await studio.site.update.mutate({ language: 'de-AT' });
  expect(await titles('Läufern')).toEqual(['Marathon']);
  expect(await titles('Häuser')).toEqual(['Marathon', 'Sprint']);
  expect(await titles('run')).toEqual(['Sprint']);
  await studio.site.update.mutate({ language: 'ja' });
  expect(await titles('Läufern')).toEqual([]);
  await studio.site.update.mutate({ language: 'en' });
});

test('a search without matches returns similar titles', async () => {
  await write('posts', { title: 'Understanding chrysanthemums', content: '' });
  const { data, nearest } = await search('crysanthemum');
  expect([data.map(({ title }) => title), nearest]).toEqual([['Understanding chrysanthemums'], true]);
  expect(await search('zzyzx')).toEqual({ data: [], nearest: false });
});

test('search ignores accents in queries, titles, texts and snippets', async () => {
  const written = ['Café Élan', 'Cafe\u0301 elan', 'CAFE ÉLAN'];
  for (const title of written)
    await write('posts', { title, content: 'Die Straße, œuvre, Škoda, Łódź: all at once' });
  for (const q of [
    'cafe',
    'CAFÉ',
    'café élan',
    '"cafe\u0301 elan"',
    'strasse',
    'Straße',
    'oeuvre',
    'skoda',
    'lodz',
  ])
    expect([q, (await titles(q)).toSorted()]).toEqual([q, written.toSorted()]);
  expect((await search('lodz')).data[0]?.snippet).toBe(
    'Die Straße, œuvre, Škoda, <mark>Łódź</mark>: all at once',
  );
  expect((await app.get('/api/v1/posts?q=caf%C3%A9%20elan&fields=id', { key })).body).toMatchObject({
    total: 3,
  });
  expect(await studio.posts.list.query({ q: 'oeuvre Èlä' })).toMatchObject({ total: 3 });
});

test('the database and the server normalize every character in the same way', async () => {
  const signs = Array.from({ length: 0x10ffff }, (_, at) => String.fromCodePoint(at + 1));
  const every = [
    // Compares one in fifty letters of large scripts such as Chinese, since all of them are treated alike.
    ...signs.filter(
      (sign, at) => !/[\p{Cn}\p{Co}\p{Cs}]/u.test(sign) && (at % 50 === 0 || !/\p{Lo}/u.test(sign)),
    ),
    ...signs.slice(0, 0x3400).filter((sign) => /\p{Lo}/u.test(sign)),
    '“か\u3099”',
    'Café — “œuvre” 🦢',
    'Noël à Paris, große Œuvres',
    'e\u0323é ça',
    'ΣΑΣ Σ',
    'x‑w ‑w w‑ 1‑2 a‑b‑c “‑w',
    'İSTANBUL, ISPARTA',
    'क्\u200dष ｗ\u200c。',
  ];
  const read: string[] = [];
  // Queries in parts, because a statement must end before its timeout.
  while (read.length < every.length) {
    const part = every.slice(read.length, read.length + 4_000);
    const { rows } = await sql<{ texts: string[] }>`
      select array(select without_accents(text) from unnest(${part}::text[]) with ordinality given (text, at) order by at) as texts`.execute(
      app.deps.database.em.getKysely(),
    );
    read.push(...(rows[0]?.texts ?? []));
  }
  // Skips letters that are newer than the database's ICU, which does not know their lowercase form.
  const isNewer = (text: string, at: number) =>
    read[at] === text && /^\p{Lu}$/u.test(text) && text.toLowerCase() !== text;
  const compared = [...every.keys()].filter((at) => !isNewer(every[at] ?? '', at));
  expect(compared.length).toBeGreaterThan(every.length - 300);
  expect(compared.map((at) => read[at])).toEqual(
    compared.map((at) => withoutAccents(withoutMarks(every[at] ?? ''))),
  );
});

test('a snippet is escaped text with marks, whatever its source contains', async () => {
  const content =
    'x <img src=x onerror=alert(1)> </mark><script>"petunia"</script> &lt;b> \u0002petunia\u0003 `1 < 2` petunia';
  await write('posts', { title: 'Tags', content });
  const [found] = (await search('petunia')).data;
  expect(found?.snippet.replaceAll(/<\/?mark>|&(amp|lt|gt|quot|#39);/g, '')).not.toMatch(/[<>&"]/);
  expect(found?.snippet.split('<mark>petunia</mark>')).toHaveLength(4);
});

test('200 hostile queries are answered', async () => {
  const pieces = [
    '"',
    '-',
    "'",
    '\\',
    ':*',
    '!',
    '&',
    '|',
    '<->',
    '(',
    ')',
    'or',
    'the',
    'a',
    '<mark>',
    '\u0002',
    '%',
    '_',
    'ß',
    '日本語',
    '🦢',
    '-"',
    '$1',
    '--',
    ';',
  ];
  const piece = (n: number) => pieces[n % pieces.length] ?? '';
  const hostile = Array.from({ length: 200 }, (_, n) =>
    Array.from({ length: 1 + (n % 40) }, (_, at) => piece(n * 7 + at * (1 + (n % 5))))
      .join(n % 3 ? ' ' : '')
      .slice(0, 190),
  );
  const visit = createVisitor(app.baseUrl);
  for (const q of hostile) {
    await search(q);
    expect([q, (await visit(`/search?q=${encodeURIComponent(q)}`)).status]).toEqual([q, 200]);
  }
});

test('other sites find no records of this site', async () => {
  const siteId = await app.seed.site({ subdomain: 'other' });
  const other = await app.seed.key({ siteId, scopes: ['read'] });
  for (const q of ['quince', 'willow', 'quinze jam'])
    expect((await app.get(`/api/v1/search?q=${q}`, { key: other })).body).toEqual({
      data: [],
      nearest: false,
    });
});

test('many matches are ranked in the same order as few', async () => {
  const siteId = await app.seed.site();
  const reader = await app.seed.key({ siteId, scopes: ['read'] });
  await app.deps.database.em.execute(`
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
    select '${siteId}', lpad(n::text, 15, '0'), case when n in (7, 1100) then 'The heron ' else 'Post ' end || n, 'post-' || n,
      'heron ' || case when n = 3 then 'otter' else 'reed' end, '', 'public', false, timestamptz '2026-01-01' + n * interval '1 minute', false, '{}', 'free', '', '', '', now(), now()
    from generate_series(1, 1500) n`);
  const found = async (q: string) =>
    ((await app.get(`/api/v1/search?limit=4&q=${q}`, { key: reader })).body as { data: Found[] }).data.map(
      ({ title }) => title,
    );
  expect(await found('heron')).toEqual(['The heron 1100', 'The heron 7', 'Post 1500', 'Post 1499']);
  expect(await found('heron otter')).toEqual(['Post 3', 'The heron 1100', 'The heron 7', 'Post 1500']);
  expect(await found('heron -reed')).toEqual(['Post 3']);
});

test('a phrase of common words is searched in the newest 1,000 records, a phrase of rare words in all', async () => {
  const siteId = await app.seed.site();
  const reader = await app.seed.key({ siteId, scopes: ['read'] });
  await app.deps.database.em.execute(`
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
    select '${siteId}', lpad(n::text, 15, '0'), 'Post ' || n, 'post-' || n,
      case when n in (7, 2490) then 'egret stork' else 'stork egret' end || case n % 1000 when 7 then ' adder' when 8 then ' newt adder' else '' end, '', 'public', false, timestamptz '2026-01-01' + n * interval '1 minute', false, '{}', 'free', '', '', '', now(), now()
    from generate_series(1, 2500) n`);
  const found = async (q: string) =>
    (
      (await app.get(`/api/v1/search?limit=4&q=${encodeURIComponent(q)}`, { key: reader })).body as {
        data: Found[];
      }
    ).data.map(({ title }) => title);
  expect(await found('"egret stork"')).toEqual(['Post 2490']);
  expect(await found('"newt adder"')).toEqual(['Post 2008', 'Post 1008', 'Post 8']);
  expect((await found('"egret stork" adder'))[0]).toBe('Post 7');
  expect(await found('stork -"stork egret"')).toEqual(['Post 2490']);
});

test.for(['a_', '1e@', '<!--'])(
  'a text of maximum search length that repeats %s can be stored, and its first word is found',
  async (piece) => {
    const id = await write('posts', {
      title: 'Without a blank',
      content: `Rutabaga ${repeatText(piece, 100_000)}`,
    });
    expect((await search('rutabaga')).data[0]?.id).toBe(id);
  },
);

test('long words of a long text are found up to the maximum query length', async () => {
  const content = `https://tubers.example/${repeatText('path_', 150)}end ${'prose '.repeat(500)} <!-- turnip --> ${repeatText('a', 199)}_b`;
  const id = await write('posts', { title: 'Long words', content });
  const finds = async (q: string) => (await search(q)).data.some((found) => found.id === id);
  expect(await finds('tubers.example')).toBe(true);
  expect(await finds(`https://tubers.example/${repeatText('path_', 150)}end`)).toBe(true);
  expect(await finds(repeatText('a', 199))).toBe(true);
  expect(await finds('turnip')).toBe(false);
});
