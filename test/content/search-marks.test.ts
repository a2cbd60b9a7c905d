import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Found } from '../../shared/contract/features/search.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { migrations } from '../../shared/db/migrations/index.ts';
import { startApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { hasOldestDatabase, startOldestDatabase } from '../support/oldest-database.ts';
import { ownerClient } from '../support/rpc.ts';
import { databaseAt } from '../support/template-database.ts';
import { createVisitor } from '../support/visitor.ts';

/** Texts in which `w` stands for a word next to a punctuation mark or symbol. */
const marked = [
  '“w”|„w“|‘w’|‚w‘|«w»|« w »|‹w›|»w«|„w”|w…|…w|x—w|x–w|–w|x‑w|x‐w|¿w?|¡w!|w。|w、x|（w）|「w」|『w』|【w】|w！|w？|w：x|・w|🦢w|w🦢',
  'x\u00a0w|x\u202fw|x\u3000w|👩\u200d💻w|w❤\ufe0f|x·w|•w|2×w|w™|w®|©w|→w|w′|w″|w\u2028x|w‰|€w|§w|l’w|l‘w|lʼw|l＇w',
  'w\u200b|\ufeffw|w\u2060|\u200ew\u200f',
].flatMap((texts) => texts.split('|'));

/** Queries by the text that they must find. */
const found: Record<string, readonly string[]> = {
  'On aime l’hiver': ['hiver', "l'hiver", 'l’hiver', 'lʼhiver', '"l’hiver"', 'L’HIVER'],
  "Vive l'été": ['été', 'l’été', 'ete', 'L’ÉTÉ'],
  'Donau\u00addampf\u00adschiff': ['donaudampfschiff', 'Donau\u00addampfschiff'],
  'type‑safe': ['type-safe', 'type‑safe', 'safe', 'type'],
  'Er sagte: „Straße“ – und ging': ['strasse', 'Straße', 'und'],
  '東京、大阪。「京都」・（奈良）': ['東京', '大阪', '京都', '奈良'],
  'می‌خواهم کتاب': ['می‌خواهم', 'میخواهم'],
  'كتـــاب، جديد؟': ['كتاب', 'جديد'],
  'क्\u200dषत्रिय। हिन्दी': ['क्षत्रिय', 'क्\u200cषत्रिय', 'हिन्दी'],
  'שלום־עולם': ['שלום', 'עולם'],
  'Ինչպե՞ս ես': ['ինչպես'],
  'пʼять, п’ятниця': ["п'ять", 'п’ять', 'пʼятниця'],
  'Привет, МИР!': ['привет', 'мир', 'МИР'],
  'Ο ΔΡΌΜΟΣ': ['δρομος', 'δρόμος'],
  'İSTANBUL INDEX': ['istanbul', 'index', 'Index'],
  'Cafe\u0301 nai\u0308ve': ['café', 'naïve', 'naive'],
  'ทดสอบ\u200bคำ': ['ทดสอบคำ'],
  '1\ufe0f\u20e3 Ready': ['ready', '1'],
};

/** Databases with locales that classify letters differently. Each function starts one and returns its address. */
const databases: Record<string, (stack: AsyncDisposableStack) => Promise<string>> = {
  'PostgreSQL 18 in locale C': async (stack) => stack.use(await startApp()).databaseUrl,
  'PostgreSQL 18 with Turkish rules': async (stack) => {
    const admin = new pg.Client(inject('databaseUrl'));
    await admin.connect();
    stack.defer(() => admin.end());
    await admin.query(
      "create database turkish encoding 'UTF8' locale_provider icu icu_locale 'tr-TR' template template0",
    );
    stack.defer(async () => void (await admin.query('drop database turkish')));
    const url = databaseAt(inject('databaseUrl'), 'turkish');
    await migrate(url);
    return url;
  },
  ...(hasOldestDatabase && {
    'PostgreSQL 15 in locale C': async (stack) =>
      databaseAt(stack.use(await startOldestDatabase()).url, 'template_app'),
    'PostgreSQL 15 in locale C.UTF-8': async (stack) => {
      const { url: serverUrl } = stack.use(await startOldestDatabase());
      const admin = new pg.Client(serverUrl);
      await admin.connect();
      stack.defer(() => admin.end());
      await admin.query(
        "create database utf8 encoding 'UTF8' lc_collate 'C.UTF-8' lc_ctype 'C.UTF-8' template template0",
      );
      const url = databaseAt(serverUrl, 'utf8');
      await migrate(url);
      return url;
    },
  }),
};

describe.each(Object.keys(databases))('%s', (name) => {
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client(await databases[name]?.(stack));
    await client.connect();
    stack.defer(() => client.end());
  });

  /** Returns the texts that are not found by their query. */
  const missed = async (texts: readonly string[], queries: readonly string[]) => {
    const { rows } = await client.query<{ text: string; query: string }>(
      `select text, query from unnest($1::text[], $2::text[]) given (text, query)
       where not to_tsvector('simple', without_accents(text)) @@ websearch_to_tsquery('simple', without_accents(query))`,
      [texts, queries],
    );
    return rows;
  };

  test('a word next to any mark of any script is found', async () => {
    const signs = Array.from({ length: 0x110000 - 0xa0 }, (_, at) => at + 0xa0)
      .filter((at) => at < 0xd800 || at > 0xdfff)
      .map((at) => String.fromCodePoint(at))
      .filter((sign) => /[\p{P}\p{S}\p{Z}]/u.test(sign) && !insideWords.has(sign));
    expect(signs.length).toBeGreaterThan(8_000);
    for (const around of [
      (sign: string) => `${sign}winter${sign}`,
      (sign: string) => `summer${sign}winter`,
      (sign: string) => `winter${sign} summer`,
      (sign: string) => `winter${sign}summer`,
      (sign: string) => `é${sign}winter`,
    ])
      expect(
        await missed(
          signs.map(around),
          signs.map(() => 'winter'),
        ),
      ).toEqual([]);
    // A query that contains the mark finds the word without it.
    const quoted = signs.map((sign) => `${sign}winter${sign}`);
    expect(
      await missed(
        signs.map(() => 'summer winter'),
        quoted,
      ),
    ).toEqual([]);
  });

  test('an invisible character does not split a word', async () => {
    const signs = [
      '\u00ad',
      '\u200b',
      '\u200c',
      '\u200d',
      '\u2060',
      '\ufeff',
      '\u200e',
      '\u200f',
      '\u061c',
      '\u180e',
      '\ufe0e',
    ];
    const torn = signs.map((sign) => `win${sign}ter`);
    expect(
      await missed(
        torn,
        signs.map(() => 'winter'),
      ),
    ).toEqual([]);
    expect(
      await missed(
        signs.map(() => 'winter'),
        torn,
      ),
    ).toEqual([]);
  });

  test('texts of eleven languages are found with queries as their readers type them', async () => {
    const pairs = Object.entries(found).flatMap(([text, queries]) =>
      queries.map((query) => [text, query] as const),
    );
    expect(
      await missed(
        pairs.map(([text]) => text),
        pairs.map(([, query]) => query),
      ),
    ).toEqual([]);
  });
});

/** Armenian marks that are written inside a word, above the letter that they belong to. */
const insideWords = new Set(['\u055b', '\u055c', '\u055e', '\u055f']);

test('every search finds and highlights a word next to a mark, also while it is typed', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read', 'write', 'read:content', 'mcp:read'] });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await using assistant = await connectAssistant(app, key);
  const visit = createVisitor(app.baseUrl);
  const word = (n: number) => `wombat${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}`;
  for (const [n, text] of marked.entries())
    await studio.posts.create.mutate({ title: `Post ${n}`, content: text.replace('w', word(n)) });
  for (const [n, text] of marked.entries()) {
    const typed = text.replace('w', word(n));
    const title = `Post ${n}`;
    const q = encodeURIComponent(word(n));
    const body = async (path: string) => (await app.get(path, { key })).body as { data: Found[] };
    const search = await body(`/api/v1/search?q=${q}`);
    expect([
      text,
      search.data.map((hit) => [hit.title, /<mark>[^<]*wombat[^<]*<\/mark>/.test(hit.snippet)]),
    ]).toEqual([text, [[title, true]]]);
    expect([text, (await body(`/api/v1/search?q=${encodeURIComponent(typed)}`)).data[0]?.title]).toEqual([
      text,
      title,
    ]);
    expect([text, await body(`/api/v1/posts?q=${q}`)]).toMatchObject([text, { data: [{ title }] }]);
    expect([text, await body(`/api/v2/posts?q=${q}`)]).toMatchObject([
      text,
      { items: [{ title }], total: 1 },
    ]);
    expect([text, await assistant.callTool('search', { q: word(n) })]).toMatchObject([
      text,
      { data: [{ title }] },
    ]);
    expect([text, await assistant.callTool('list_posts', { q: word(n) })]).toMatchObject([
      text,
      { data: [{ title }] },
    ]);
    expect([text, await studio.posts.list.query({ q: word(n) })]).toMatchObject([
      text,
      { items: [{ title }], total: 1 },
    ]);
    expect([text, await studio.posts.list.query({ q: typed })]).toMatchObject([text, { items: [{ title }] }]);
    expect([text, (await visit(`/search?q=${q}`)).text.includes(title)]).toEqual([text, true]);
    expect([text, (await visit(`/posts?q=${q}`)).text.includes(title)]).toEqual([text, true]);
  }
});

test('readers find texts in many scripts, and their owner finds them letter by letter', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read', 'read:content'] });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  for (const title of Object.keys(found)) await studio.posts.create.mutate({ title, content: '' });
  for (const [title, queries] of Object.entries(found))
    for (const q of queries) {
      const { body } = await app.get(`/api/v1/search?q=${encodeURIComponent(q)}`, { key });
      expect([q, (body as { data: Found[] }).data.map((hit) => hit.title)]).toEqual([q, [title]]);
      expect([q, (await studio.posts.list.query({ q })).items.map((post) => post.title)]).toEqual([
        q,
        [title],
      ]);
      if (!/["‑-]/.test(q) && [...q].length > 3) {
        const begun = [...q].slice(0, -1).join('');
        const { items } = await studio.posts.list.query({ q: begun });
        expect([begun, items.map((post) => post.title)]).toEqual([begun, expect.arrayContaining([title])]);
      }
    }
});

test('every character is a valid query, alone and after two letters', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const key = await app.seed.key({ scopes: ['read'] });
  const odd = [
    '\u02bc',
    '\u3164',
    '\u115f',
    '\uffa0',
    '\u0301',
    '\u0374',
    '\u00ad',
    '\u200d',
    '\u2011',
    '’',
    '“',
    '\u0640',
    '\ufe0f',
    'ß',
    'ſ',
  ];
  for (const q of odd.flatMap((sign) => [
    sign,
    `${sign}${sign}`,
    `ab${sign}`,
    `ab${sign}cd`,
    `${sign}abc`,
    `abc -${sign}`,
  ])) {
    const { status } = await app.get(`/api/v1/search?q=${encodeURIComponent(q)}`, { key });
    expect([q, status]).toEqual([q, 200]);
    expect([q, await studio.posts.list.query({ q })]).toMatchObject([q, { items: [] }]);
  }
});

test('the migration makes existing texts findable, without events and with unchanged dates', async () => {
  await using database = await createEmptyDatabase();
  const names = migrations.map(({ name }) => name);
  await migrate(database.url, names.slice(0, names.indexOf('0038-search-marks')));
  await database.query(`
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
    values ('harbour', 'p1', 'On aime l’hiver', 'p1', 'w…', '', 'public', false, '2026-01-01', false, '{}', 'free', '', '', '', '2026-01-01', '2026-01-02'),
      ('harbour', 'p2', 'Plain', 'p2', 'text', '', 'public', false, '2026-01-01', false, '{}', 'free', '', '', '', '2026-01-01', '2026-01-02')`);
  const kept = () =>
    database.query('select xmin::text as row, id, title, content, updated from posts order by id');
  const version = () =>
    database.query(
      `select version from collection_changes where site_id = 'harbour' and collection = 'posts'`,
    );
  const finds = (word: string) =>
    database.query(`
      select id from posts where search @@ websearch_to_tsquery('simple', without_accents('${word}'))
        and (id = 'p2' or to_tsvector('simple'::regconfig, without_accents(title)) @@ to_tsquery('simple', 'hiver'))`);
  const [[before], was] = [await kept(), await version()];
  expect(await finds('hiver')).toEqual([]);
  const plain = (await kept())[1];
  await migrate(database.url);
  for (const word of ['hiver', 'l’hiver', 'w']) expect(await finds(word)).toEqual([{ id: 'p1' }]);
  expect((await kept())[0]).toEqual({ ...(before as object), row: expect.any(String) });
  // Texts in ASCII need no reindexing, so that their rows are not rewritten.
  expect((await kept())[1]).toEqual(plain);
  expect(await version()).not.toEqual(was);
  expect(await database.query('select * from events')).toEqual([]);
});
