import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const siteId = await app.seed.ownSite();
const key = await app.seed.key({ scopes: ['write:newsletter'] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
await studio.site.update.mutate({
  name: 'Ada Marsh',
  custom_domain: 'ada.example.com',
  language: 'de',
  newsletter: { postal_address: '1 Long Lane' },
});

const create = async (post: Partial<Parameters<typeof studio.posts.create.mutate>[0]>) =>
  (await studio.posts.create.mutate({ title: 'Why types pay', content: 'The *secret*.', ...post })).id;
const preview = (body: object) => app.post('/api/v2/mailings/preview', { key, body });

test('the preview of a published post is the email that readers would receive', async () => {
  const post_id = await create({ slug: 'types', excerpt: 'A contract saves you.' });
  const { status, body } = await preview({ post_id });
  expect(status).toBe(200);
  expect(body).toEqual({
    subject: 'Why types pay',
    preheader: 'A contract saves you.',
    html: expect.stringContaining('The <em>secret</em>.'),
    text: expect.stringContaining('The secret.'),
    bytes: Buffer.byteLength((body as { html: string }).html),
    warnings: [],
  });
  expect(body).toMatchObject({ html: expect.stringMatching(/<html lang="de" dir="ltr">/) });
  expect(body).toMatchObject({ text: expect.stringContaining('//ada.example.com/posts/types?utm_source=') });
  expect(await studio.mailings.preview.mutate({ post_id })).toEqual(body);
});

test('the preview for a reader omits content that the gate withholds from them', async () => {
  const readers = ['anonymous', 'registered', 'paid', 'members'] as const;
  for (const access_tier of ['free', 'registered', 'paid', 'members', 'gold']) {
    const post_id = await create({ access_tier, excerpt: 'Open words.' });
    const shown = await Promise.all(
      readers.map(async (as) => {
        const mail = await studio.mailings.preview.mutate({ post_id, as });
        expect(mail.html).toContain(mail.html.includes('secret') ? 'secret' : 'Open words.');
        expect(mail.text.includes('secret')).toBe(mail.html.includes('secret'));
        return mail.html.includes('secret');
      }),
    );
    const opens: Record<string, boolean[]> = {
      free: [true, true, true, true],
      registered: [false, true, true, true],
      paid: [false, false, true, false],
      // A purchase opens its post in every tier.
      members: [false, false, true, true],
      gold: [false, false, false, false],
    };
    expect(shown).toEqual(opens[access_tier]);
  }
});

test('an API key can preview only the email for visitors, and no draft', async () => {
  const post_id = await create({ access_tier: 'members', excerpt: 'Open words.' });
  const { body } = await preview({ post_id });
  expect(JSON.stringify(body)).toContain('Open words.');
  expect(JSON.stringify(body)).not.toContain('secret');
  const asMember = await preview({ post_id, as: 'members' });
  expect([asMember.status, asMember.body]).toMatchObject([400, { error: { code: 'validation_failed' } }]);
  const hidden = [await create({ is_draft: true }), await create({ visibility: 'private' })];
  for (const post_id of hidden) {
    expect(await preview({ post_id })).toMatchObject(failure(404, 'not_found'));
    expect(await studio.mailings.preview.mutate({ post_id })).toMatchObject({
      warnings: ['not_public'],
    });
  }
});

test('a post without an excerpt uses the beginning of its body as preheader, and an empty one for readers without access', async () => {
  const post_id = await create({ access_tier: 'members' });
  const as = async (as: 'anonymous' | 'members') => studio.mailings.preview.mutate({ post_id, as });
  expect(await as('members')).toMatchObject({ preheader: 'The secret.', warnings: [] });
  expect(await as('anonymous')).toMatchObject({ preheader: '', warnings: ['no_excerpt'] });
});

test('a post of another site cannot be previewed', async () => {
  const post_id = await create({});
  const other = await app.seed.site({ subdomain: 'other' });
  const { studio: theirs } = ownerClient(app.baseUrl, await app.seed.ownerToken(other));
  expect(await refusal(theirs.mailings.preview.mutate({ post_id }))).toMatchObject({ code: 'not_found' });
});

test('a body that is too large is sent as excerpt and link, with a warning for readers with access', async () => {
  const post_id = await create({
    content: 'word '.repeat(30_000),
    excerpt: 'In short.',
    access_tier: 'paid',
  });
  const paid = await studio.mailings.preview.mutate({ post_id, as: 'paid' });
  expect([paid.warnings, paid.html.includes('In short.')]).toEqual([['body_too_large'], true]);
  expect(paid.html).not.toContain('word word');
  expect((await studio.mailings.preview.mutate({ post_id })).warnings).toEqual([]);
});

test('a missing postal address is a warning; subject and preheader can be tried out', async () => {
  const post_id = await create({});
  const words = { subject: 'Mind', preheader: 'Look inside' };
  expect(await studio.mailings.preview.mutate({ post_id, ...words })).toMatchObject({
    subject: 'Mind',
    html: expect.stringContaining('Look inside'),
    warnings: [],
  });
  await studio.site.update.mutate({ newsletter: { postal_address: null } });
  expect((await studio.mailings.preview.mutate({ post_id })).warnings).toEqual(['no_postal_address']);
});
