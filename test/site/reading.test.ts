import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { startMailServer } from '../support/mail-server.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

async function startSite(smtpUrl?: string) {
  const app = await startApp(smtpUrl ? { smtpUrl } : {});
  const key = await app.seed.key({ scopes: ['read', 'write', 'read:content'] });
  return {
    ...app,
    key,
    posts: recordsOf(app, 'posts', key),
    studio: ownerClient(app.baseUrl, await app.seed.ownerToken()).studio,
    visit: createVisitor(app.baseUrl),
  };
}

const secret = 'the withheld words';
const gated = { title: 'Gated', slug: 'gated', content: secret, excerpt: 'A teaser' };

test('a gated post shows its excerpt and a sign-in link, and opens for a reader who signs in', async () => {
  await using mail = await startMailServer();
  await using app = await startSite(mail.url);
  await app.posts.add({ ...gated, access_tier: 'registered' });
  const before = await app.visit('/posts/gated');
  expect(before.text).toContain('A teaser');
  expect(before.text).toContain('href="/sign-in?next=%2Fposts%2Fgated"');
  expect(before.text).not.toContain(secret);

  const form = await app.visit('/sign-in?next=%2Fposts%2Fgated');
  expect(form.text).toContain('name="next" value="/posts/gated"');
  const requested = await app.visit('/sign-in', {
    form: { email: 'Grace@example.com', next: '/posts/gated' },
  });
  expect([requested.status, requested.headers['cache-control']]).toEqual([200, 'private, no-store']);
  expect(requested.text).toContain('name="email" value="Grace@example.com"');
  expect(requested.text).toContain('<a href="/sign-in?next=%2Fposts%2Fgated">Use another address</a>');
  const code = mail.codeFor('grace@example.com');
  const wrong = await app.visit('/sign-in', {
    form: { email: 'grace@example.com', code: code === '000000' ? '000001' : '000000', next: '/posts/gated' },
  });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('This code is wrong or has expired.');
  const entered = await app.visit('/sign-in', {
    form: { email: 'grace@example.com', code: ` ${code} `, next: '/posts/gated' },
  });
  expect([entered.status, entered.headers.location]).toEqual([303, '/posts/gated']);
  expect(entered.headers['set-cookie']).toContainEqual(
    expect.stringMatching(/^member=svc_member_\w{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/),
  );
  const after = await app.visit('/posts/gated');
  expect(after.text).toContain(secret);
  expect(after.headers['cache-control']).toBe('private, no-store');
  expect((await createVisitor(app.baseUrl)('/posts/gated')).text).not.toContain(secret);

  expect((await app.visit('/account')).text).toContain('grace@example.com');
  expect((await app.visit('/sign-out', { form: {} })).headers.location).toBe('/');
  expect((await app.visit('/posts/gated')).text).not.toContain(secret);
  const account = await app.visit('/account');
  expect([account.status, account.headers.location]).toEqual([303, '/sign-in']);
});

test.for([
  ['registered', 'Free, for readers who sign in'],
  ['paid', 'For buyers'],
  ['members', 'For members'],
  ['early-birds', 'This post is closed'],
])('a post of tier %s states who can read it', async ([access_tier = '', title]) => {
  await using app = await startSite();
  await app.posts.add({ ...gated, access_tier });
  expect((await app.visit('/posts/gated')).text).toContain(title);
});

test("a gate for buyers or members names the creator's email address, if there is one", async () => {
  await using app = await startSite();
  const tiers = ['registered', 'paid', 'members', 'early-birds'];
  for (const access_tier of tiers) await app.posts.add({ ...gated, slug: access_tier, access_tier });
  const request = 'Want to read it? Write to <a href="mailto:ada@example.com">ada@example.com</a>.';
  const thatAsk = async () => {
    const requesting = tiers.map(async (slug) => (await app.visit(`/posts/${slug}`)).text.includes(request));
    return Promise.all(requesting);
  };
  expect(await thatAsk()).toEqual([false, false, false, false]);
  await app.studio.profile.update.mutate({ email: 'ada@example.com' });
  expect(await thatAsk()).toEqual([false, true, true, false]);
});

test('no response to a visitor contains gated text', async () => {
  await using app = await startSite();
  const { id } = await app.studio.courses.create.mutate({ title: 'Course', slug: 'course' });
  const { id: module_id } = await app.studio.modules.create.mutate({ course_id: id, title: 'Module' });
  await app.studio.lessons.create.mutate({
    module_id,
    title: 'Lesson',
    content: secret,
    video_url: 'https://v.example/withheld',
  });
  for (const access_tier of ['registered', 'paid', 'members', 'nobody'])
    await app.posts.add({ title: access_tier, slug: access_tier, content: secret, access_tier, tags: ['t'] });
  await app.posts.add({ title: 'Draft', content: secret, slug: 'draft', is_draft: true });
  await app.posts.add({ title: 'Private', content: secret, slug: 'private', visibility: 'private' });
  await app.posts.add({ title: 'Unlisted', content: secret, slug: 'unlisted', visibility: 'unlisted' });
  const tiers = ['registered', 'paid', 'members', 'nobody', 'draft', 'private', 'unlisted'];
  const paths = [
    ...[
      '/',
      '/posts',
      '/tags/t',
      '/courses',
      '/courses/course',
      '/feed.xml',
      '/feed.json',
      '/sitemap.xml',
      '/llms.txt',
    ],
    ...['/posts?q=withheld', '/posts?q=words', '/nothing', '/private', '/unlisted'],
    ...tiers.flatMap((slug) => [`/posts/${slug}`, `/posts/${slug}.md`]),
  ];
  for (const path of paths) {
    const { text } = await app.visit(path);
    expect([path, text.includes('withheld words'), text.includes('v.example')]).toEqual([path, false, false]);
  }
  for (const slug of tiers)
    expect([slug, (await app.visit(`/posts/${slug}.md`)).status]).toEqual([slug, 404]);
});

test('programs can read an open post as Markdown', async () => {
  await using app = await startSite();
  await app.posts.add({ title: 'Open', slug: 'open', content: 'It *is*.', excerpt: 'Short' });
  const { headers, text } = await app.visit('/posts/open.md');
  expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
  expect(text).toBe('# Open\n\n> Short\n\nhttp://localhost:3000/posts/open\n\nIt *is*.\n');
  expect((await app.visit('/llms.txt')).text).toContain(
    '- [Open](http://localhost:3000/posts/open.md): Short',
  );
});
