import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { searchedCollections } from '../../shared/contract/features/search.ts';
import { type Resource, titleFieldOf } from '../../shared/contract/resource.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { roleNames } from '../../shared/contract/roles.ts';
import { connectAssistant } from '../support/assistant.ts';
import { startMailServer } from '../support/mail-server.ts';
import { signInByMail } from '../support/members.ts';
import { startSearchSite } from '../support/search-site.ts';
import { createVisitor } from '../support/visitor.ts';

const mail = await startMailServer();
const app = await startSearchSite({ smtpUrl: mail.url });
const { key, studio, write, search } = app;
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await mail.close();
});

/** Writes withheld records, each with words of its own. Returns all words, and those that the studio's search finds. */
async function writeWithheld() {
  const word = (n: number) => `withheldword${'abcdefghijklmnopqrstuvwxyz'[n]}`;
  const withheld: string[] = [];
  const secret = () => {
    const words = [word(withheld.length), word(withheld.length + 1)];
    withheld.push(...words);
    return words.join(' ');
  };
  for (const access_tier of ['registered', 'paid', 'members'])
    await write('posts', {
      title: `Gated ${access_tier}`,
      excerpt: 'In the open',
      content: secret(),
      access_tier,
    });
  const gated = withheld.length;
  for (const state of [{ is_draft: true }, { visibility: 'private' }, { visibility: 'unlisted' }] as const) {
    const mixed = secret();
    await write('posts', { title: mixed, excerpt: mixed, content: mixed, ...state });
    await studio.pages.create.mutate({
      title: mixed,
      slug: `p-${withheld.length}`,
      content: mixed,
      ...state,
    });
    for (const collection of ['projects', 'courses', 'talks'])
      await write(collection, { title: mixed, description: mixed, ...state });
  }
  const ofStudio = withheld.slice(gated);
  const { id: course_id } = await studio.courses.create.mutate({ title: 'With lessons' });
  const { id: module_id } = await studio.modules.create.mutate({ course_id, title: secret() });
  await studio.lessons.create.mutate({ module_id, title: secret(), content: secret() });
  const trashed = await write('posts', { title: secret(), content: 'gone' });
  await app.delete(`/api/v1/posts/${trashed}`, { key });
  const changed = await write('posts', { title: 'Gated later', content: secret() });
  await app.patch(`/api/v1/posts/${changed}`, { key, body: { access_tier: 'paid' } });
  return { withheld, ofStudio };
}

/**
 * Returns the number of records that the studio's palette shows and their total. The palette queries all
 * kinds in one batch.
 */
async function paletteOf(token: string, q: string) {
  const calls = Object.values<Resource>(resources).map((resource) => ({
    path: `studio.${resource.collection}.list`,
    input: { json: { q, fields: [titleFieldOf(resource)], per_page: 6 } },
  }));
  const input = encodeURIComponent(JSON.stringify({ ...calls.map((call) => call.input) }));
  const paths = calls.map(({ path }) => path).join(',');
  const { status, body } = await app.get(`/trpc/${paths}?batch=1&input=${input}`, { key: token });
  expect(status).toBe(200);
  const lists = Answers.parse(body).map(({ result }) => result.data.json);
  return {
    shown: lists.flatMap(({ items }) => items).length,
    total: lists.reduce((sum, { total }) => sum + total, 0),
  };
}

const Items = z.object({ items: z.array(z.unknown()), total: z.number() });
const Answers = z.array(z.object({ result: z.object({ data: z.object({ json: Items }) }) }));

/** Signs in a member with all tiers. Returns a visitor with their session, and headers with a member token. */
async function entitled() {
  const email = 'lin@example.com';
  const visit = createVisitor(app.baseUrl);
  await visit('/sign-in', { form: { email } });
  await visit('/sign-in', { form: { email, code: mail.codeFor(email) } });
  app.clock.advance({ hours: 1 });
  const { member, token } = await signInByMail(app, mail, { email });
  await studio.members.update.mutate({ id: member.id, access_tiers: ['registered', 'paid', 'members'] });
  return { visit, headers: { 'x-member-token': token } };
}

test('withheld words are never found, counted or shown on any surface, and are in no index for readers', async () => {
  const { withheld, ofStudio } = await writeWithheld();
  const lin = await entitled();
  const opened = await app.get('/api/v1/posts?fields=content', { key, headers: lin.headers });
  expect(JSON.stringify(opened.body)).toContain('withheldworda');
  await using assistant = await connectAssistant(app, key);
  const none = { data: [], nearest: false };
  const readers = [
    { visit: createVisitor(app.baseUrl), headers: {} },
    { visit: lin.visit, headers: lin.headers },
  ];
  const json = (input: object) => encodeURIComponent(JSON.stringify({ json: input }));
  for (const { visit, headers } of readers) {
    const requested = async (path: string) => (await app.get(path, { key, headers })).body;
    const { text: nothing } = await visit('/search?q=zzyzx');
    const { text: noPosts } = await visit('/posts?q=zzyzx');
    expect(nothing).toContain('Nothing found.');
    for (const word of withheld) {
      for (const q of [word, `"${word}"`, word.slice(0, -1), `${word}s`, `${word} -unknown`])
        expect([q, await requested(`/api/v1/search?q=${encodeURIComponent(q)}`)]).toEqual([q, none]);
      expect(await requested(`/trpc/v1.search?input=${json({ q: word })}`)).toMatchObject({
        result: { data: { json: none } },
      });
      for (const [path, without] of [
        ['/search', nothing],
        ['/posts', noPosts],
      ] as const)
        expect((await visit(`${path}?q=${word}`)).text.replaceAll(word, 'zzyzx')).toBe(without);
      for (const collection of searchedCollections.filter((name) => name !== 'pages'))
        expect(await requested(`/api/v1/${collection}?q=${word}`)).toMatchObject({ data: [] });
      expect(await requested(`/api/v1/posts?q=${word}`)).toMatchObject({ total: 0 });
      expect(await requested(`/api/v2/posts?q=${word}`)).toMatchObject({ items: [], total: 0 });
    }
  }
  for (const word of withheld) {
    expect(await assistant.callTool('search', { q: word })).toEqual(none);
    expect(await assistant.callTool('list_posts', { q: word })).toMatchObject({ data: [] });
  }
  const elsewhere = await app.seed.site();
  const stranger = await app.seed.key({ siteId: elsewhere, scopes: ['read'] });
  for (const word of withheld)
    expect((await app.get(`/api/v1/search?q=${word}`, { key: stranger })).body).toEqual(none);
  for (const role of roleNames) {
    const [own, other] = [await app.seed.person(role), await app.seed.person(role, elsewhere)];
    for (const word of withheld) {
      const times = ofStudio.includes(word) ? searchedCollections.length : 0;
      expect([role, word, await paletteOf(own.token, word)]).toEqual([
        role,
        word,
        { shown: times, total: times },
      ]);
    }
    // The common prefix of all withheld words, as a person would type it first.
    expect([role, await paletteOf(other.token, 'withheldw')]).toEqual([role, { shown: 0, total: 0 }]);
  }
  for (const q of ['gated', 'open withheldworda', 'lessons'])
    expect(JSON.stringify(await search(q))).not.toContain('withheldword');
  const db = app.deps.database.em;
  for (const table of Object.keys(resources)) {
    const [index] = await db.execute(
      `select pg_get_expr(indpred, indrelid) as rows from pg_index where indexrelid = '${table}_narrowed_idx'::regclass`,
    );
    expect(index).toEqual({ rows: 'COALESCE(is_public, false)' });
  }
  const leaked = await db.execute(
    `select id from posts where is_public and (search::text || to_tsvector('simple', title)::text) like '%withheldword%'`,
  );
  expect(leaked).toEqual([]);
});
