import type { Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { de } from '../../shared/i18n/de.ts';
import { en } from '../../shared/i18n/en.ts';
import { createMailTransport } from '../../shared/mail/mailer.ts';
import { mailConfirmation } from '../../worker/jobs/transactional-emails.ts';
import { startApp } from '../support/app.ts';
import { startBrowser } from '../support/browser.ts';
import { recordsOf } from '../support/content.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { emailPaths } from '../support/newsletter-link-paths.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

function pseudo(entry: unknown): unknown {
  if (typeof entry === 'string') return `${accented(entry)}${'ö'.repeat(Math.ceil(entry.length * 0.4))}`;
  if (typeof entry === 'function') return (...given: unknown[]) => pseudo(entry(...given));
  if (typeof entry !== 'object' || entry === null) return entry;
  return Object.fromEntries(Object.entries(entry).map(([name, one]) => [name, pseudo(one)]));
}

/** Adds accents, except to placeholders and links. */
function accented(text: string): string {
  return text.replace(/\{\w+\}|https?:\S+|[A-Za-z]/g, (part) => letters[part] ?? part);
}

const letters: Readonly<Record<string, string>> = Object.fromEntries(
  [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter, at) => [
    letter,
    [...'áƀćďéƒǵĥíĵķĺḿńóṕɋŕśťúṽẃẋýźÁɃĆĎÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼẂẊÝŹ'][at] ?? letter,
  ]),
);

/* Replaces German by English with accents, 40 % longer. All content of the site is Greek, so a word in plain letters
   is missing in the site strings. */
const german = { ...de };
Object.assign(de, pseudo(en), { language: 'de' });

await using stack = new AsyncDisposableStack();
const mail = stack.use(await startMailServer());
const app = stack.use(await startApp({ smtpUrl: mail.url }));
const browser = stack.use(await startBrowser());
const started = stack.move();
afterAll(async () => {
  // Other test files share this process.
  Object.assign(de, german);
  await started.disposeAsync();
});
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const visit = createVisitor(app.baseUrl);

const greek = 'Λόγος και έργα';
const paths = [
  ...[
    '/',
    '/posts',
    '/posts?q=ω',
    '/posts/a',
    '/posts/registered',
    '/posts/paid',
    '/posts/members',
    '/tags/ετικέτα',
  ],
  ...['/a', '/nothing', '/projects', '/projects/a', '/courses', '/courses/a', '/talks', '/cv', '/search'],
  ...['/search?q=λόγος', '/search?q=λόγοςκαι', '/search?q=ψψψ', '/testimonials', '/testimonials?sent=1'],
  ...['/newsletter', '/newsletter?sent=1', '/newsletter?sent=mail', '/sign-in'],
];

beforeAll(async () => {
  await studio.site.update.mutate({ name: greek, language: 'de', currency: null });
  await studio.profile.update.mutate({
    ...{ name: greek, headline: greek, summary: greek, location: greek, email: 'a@example.com' },
    ...{ website: 'https://a.example', cta_enabled: true, cta_text: greek, cta_url: 'https://a.example' },
  });
  const key = await app.seed.key();
  const add = (collection: string, values: object) =>
    recordsOf(app, collection, key).add({ title: greek, ...values });
  const content = `## ${greek}\n\n${greek}\n\n## ${greek}\n\n## ${greek}`;
  for (const slug of ['a', 'b', 'c'])
    await add('posts', { slug, content, excerpt: greek, tags: ['ετικέτα'], featured: slug === 'a' });
  for (const access_tier of ['registered', 'paid', 'members'])
    await add('posts', { slug: access_tier, access_tier });
  await add('projects', {
    slug: 'a',
    description: greek,
    status: 'ενεργό',
    url: 'https://a.example',
    tech_stack: [greek],
  });
  const { id } = await studio.courses.create.mutate({
    ...{ title: greek, slug: 'a', description: greek, difficulty: 'εύκολο', instructor_name: greek },
    ...{
      estimated_hours: 3,
      price: 20,
      access_tier: 'paid',
      learning_outcomes: [greek],
      sequential_access: true,
    },
  });
  const { id: module_id } = await studio.modules.create.mutate({ course_id: id, title: greek });
  await studio.lessons.create.mutate({ module_id, title: greek });
  await add('talks', {
    event: greek,
    date: '2026-05',
    slides_url: 'https://a.example',
    video_url: 'https://a.example',
  });
  const span = { start_date: '2019', end_date: null };
  await add('experience', { company: greek, location: greek, bullets: [greek], ...span });
  const study = { institution: greek, degree: greek, field: greek, start_date: '2019', end_date: '2024' };
  await recordsOf(app, 'education', key).add(study);
  await recordsOf(app, 'skills', key).add({ name: greek });
  await recordsOf(app, 'certifications', key).add({
    name: greek,
    issuer: greek,
    issue_date: '2024',
    credential_url: 'https://a.example',
  });
  await studio.pages.create.mutate({ title: greek, slug: 'a', content: greek });
  await visit('/testimonials', {
    form: { name: greek, email: 'lin@example.com', content: greek, rating: '4' },
  });
  await app.deps.database.em.execute('update testimonials set approved = true');
});

/** In the browser: words in plain letters that are visible or read aloud, except dates, addresses and names of formats. */
const plainWords = `(() => {
  const heard = ['title', 'alt', 'aria-label', 'placeholder'];
  const texts = [document.title, document.querySelector('meta[name=description]')?.content ?? ''];
  for (const one of document.body.querySelectorAll('*')) {
    for (const name of heard) texts.push(one.getAttribute(name) ?? '');
    if (one.closest('time, style, script')) continue;
    for (const child of one.childNodes) if (child.nodeType === Node.TEXT_NODE) texts.push(child.data);
  }
  return texts.flatMap((text) => text.replace(/\\S+@\\S+|https?:\\S+|\\S+\\.example\\S*/g, '').match(/[A-Za-z]{2,}[A-Za-z ]*/g) ?? []);
})()`;

async function findFaults(page: Page, path: string) {
  const words = await page.evaluate<string[]>(plainWords);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return [
    ...words.map((word) => `${path}: ${word}`),
    ...(overflow === 0 ? [] : [`${path}: wider by ${overflow}`]),
  ];
}

test('every sentence of every page is in the site strings, and no page with 40 % longer ones is wider than a phone', async () => {
  const page = await browser.open({ viewport: { width: 390, height: 844 }, javaScriptEnabled: true });
  const faults: string[] = [];
  for (const path of paths) {
    await page.goto(app.baseUrl + path);
    faults.push(...(await findFaults(page, path)));
  }
  expect(faults).toEqual([]);
});

test('every sentence of pages for emailed links, and of responses to forms, is in the site strings', async () => {
  const { confirm, unsubscribe } = await emailPaths(app, await app.seed.ownSite());
  const page = await browser.open({ viewport: { width: 390, height: 844 }, javaScriptEnabled: true });
  const faults: string[] = [];
  for (const path of [confirm, unsubscribe]) {
    await page.goto(app.baseUrl + path);
    faults.push(...(await findFaults(page, path)));
    await page.locator('main button').click();
    await page.locator('main form').waitFor({ state: 'detached' });
    // The form disappears as soon as the next page begins to load.
    await page.waitForLoadState();
    faults.push(...(await findFaults(page, `${path} sent`)));
  }
  for (const [path, form] of [
    ['/sign-in', { email: 'lin@example.com' }],
    ['/sign-in', { email: 'lin@example.com', code: '000000' }],
    ['/newsletter', { email: 'no', source: 'home' }],
    ['/testimonials', { name: '', email: 'no', content: '' }],
  ] as const) {
    await page.setContent((await visit(path, { form })).text);
    faults.push(...(await findFaults(page, `${path} ${Object.keys(form).join(' ')}`)));
  }
  const code = /\d{6}/.exec((await PostalMime.parse(mail.mails.at(-1)?.raw ?? '')).text ?? '')?.[0] ?? '';
  await visit('/sign-in', { form: { email: 'lin@example.com', code } });
  const account = await visit('/account');
  expect(account.status).toBe(200);
  await page.setContent(account.text);
  faults.push(...(await findFaults(page, '/account')));
  expect(faults).toEqual([]);
});

test('every sentence of emails and feeds is in the site strings', async () => {
  const earlier = mail.mails.length;
  await visit('/sign-in', { form: { email: 'grace@example.com' } });
  await studio.subscribers.create.mutate({ email: 'grace@example.com' });
  const [requested] = (await studio.subscribers.list.query({ q: 'grace@' })).items;
  await mailConfirmation(
    {
      ...app.deps,
      mail: createMailTransport(mail, 'site@example.com', captureLog().logger),
      publicUrl: new URL(app.baseUrl),
    },
    {
      site_id: await app.seed.ownSite(),
      subscriber_id: requested?.id ?? '',
      asked_at: await app.deps.database.em
        .execute<{ at: Date }[]>('select confirm_sent_at as at from subscribers where id = ?', [
          requested?.id,
        ])
        .then(([row]) => new Date(row?.at ?? 0).toISOString()),
    },
  );
  await studio.site.update.mutate({
    newsletter: { from_name: greek, reply_to: 'a@example.com', postal_address: greek },
  });
  const posts = (await studio.posts.list.query({})).items;
  for (const { id: post_id } of posts.filter(({ slug }) => slug === 'a' || slug === 'paid'))
    await studio.mailings.test.mutate({ post_id, as: 'anonymous', to: ['grace@example.com'] });
  const mails = await Promise.all(mail.mails.slice(earlier).map(({ raw }) => PostalMime.parse(raw)));
  const said = mails.map(({ subject, text, html }) => [subject, text, seenOf(html ?? '')].join('\n'));
  expect(said).toHaveLength(4);
  expect(said.flatMap((words) => plainIn(words))).toEqual([]);
  const { text } = await visit('/feed.xml');
  const inFeed = [...text.matchAll(/<(title|description|subtitle)[^>]*>([^<]*)</g)].map(
    ([, , words]) => words,
  );
  expect(inFeed.flatMap((words) => plainIn(words ?? ''))).toEqual([]);
});

/** Text and alternative texts of an HTML email. */
const seenOf = (html: string) =>
  html
    .replace(/<style[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, ' ')
    .replace(/<[^>]*?(?:\balt="([^"]*)"[^>]*)?>|&\w+;/g, ' $1 ');

/** Words in plain letters, except addresses. */
const plainIn = (text: string) => text.replace(/https?:\S+|\S+@\S+/g, '').match(/\b[A-Za-z]{3,}\b/g) ?? [];
