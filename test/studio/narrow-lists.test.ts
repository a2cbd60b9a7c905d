import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allResources } from '../../shared/contract/resources/index.ts';
import type { Database } from '../../shared/db/config.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { openScreen, signIn, wholeScreen } from '../support/studio.ts';
import { buildStudio, findViolations, startWatchedBrowser } from '../support/watched-browser.ts';

let browser: Awaited<ReturnType<typeof startWatchedBrowser>>;
beforeAll(async () => {
  await buildStudio();
  browser = await startWatchedBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const rows = 300;
const sentence = 'A title that nobody has thought about for long '.repeat(5).slice(0, 200);
const word = 'unbroken'.repeat(25);

/** Fills each list of a site with rows whose names have the maximum length, with and without spaces. */
async function fill(app: TestApp, token: string) {
  const { database } = app.deps;
  const siteId = await app.seed.ownSite();
  const client = ownerClient(app.baseUrl, token);
  const own = client.studio;
  const many = (table: string, like: string, unique: string[] = [], count = rows / 2) =>
    addManyRows(database, { table, like, unique, count });
  const run = (statement: string) => database.em.execute(statement);
  const named = async (name: string, number: number) => {
    const short = name.slice(0, 190).trim();
    for (const collection of ['posts', 'pages', 'projects', 'courses'] as const) {
      const { id } = await own[collection].create.mutate({ title: name });
      await many(collection, id, ['slug']);
    }
    const { id: post } = await own.posts.create.mutate({ title: name });
    const { id: talk } = await own.talks.create.mutate({ title: name });
    await many('talks', talk);
    const { id: job } = await own.experience.create.mutate({ title: name, company: name });
    await many('experience', job);
    const { id: school } = await own.education.create.mutate({ institution: name, degree: name });
    await many('education', school);
    const { id: skill } = await own.skills.create.mutate({ name: name.slice(0, 100) });
    await many('skills', skill);
    const { id: proof } = await own.certifications.create.mutate({ name });
    await many('certifications', proof);
    const { id: old } = await own.redirects.create.mutate({
      from: `/${short}`,
      to: `/to/${short.replaceAll(' ', '-')}`,
    });
    await many('redirects', old, ['from']);
    const { id: gone } = await own.posts.create.mutate({ title: name });
    await own.posts.delete.mutate({ id: gone });
    const { id: course } = await own.courses.create.mutate({ title: name });
    const buyer_email = `${name.replaceAll(' ', '').slice(0, 60)}@${'example.'.repeat(10)}com`;
    const { id: learner } = await own.enrollments.create.mutate({ course_id: course, buyer_email });
    await many('enrollments', learner, ['buyer_email']);
    const bought = { content_type: 'courses', content_id: course, amount: 49.5, currency: 'EUR' } as const;
    const { id: purchase } = await own.purchases.record.mutate({ buyer_email, ...bought });
    await many('purchases', purchase);
    const { id: key } = await client.admin.apiKeys.create.mutate({
      name: name.slice(0, 100),
      scopes: ['read'],
    });
    await many('api_keys', key, ['key_hash']);
    const url = `https://hooks.example.com/${short.replaceAll(' ', '-')}`;
    const { id: webhook } = await client.admin.webhooks.create.mutate({ url, events: ['content.created'] });
    // The limit per site is one hundred.
    await many('webhook_subscriptions', webhook, [], 40);
    const id = (kind: string) => `'${kind.slice(0, 8).padEnd(8, '0')}${number}000000'`;
    await run(`
      insert into members (site_id, id, email, name, status, access_tiers, created, updated)
      values ('${siteId}', ${id('member')}, '${buyer_email}', '${name}', 'active', '{members}', now(), now())`);
    await many('members', id('member').slice(1, -1), ['email']);
    await run(`
      insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
      values ('${siteId}', ${id('reader')}, '${buyer_email}', '${name}', '${name}', 'active', 0, now())`);
    await many('subscribers', id('reader').slice(1, -1), ['email']);
    await run(`
      insert into testimonials (site_id, id, name, email, company, role, content, rating, approved, created)
      values ('${siteId}', ${id('praise')}, '${name}', '${buyer_email}', '${name}', '', '${name}', 5, false, now())`);
    await many('testimonials', id('praise').slice(1, -1));
    await run(`
      insert into people (id, email, name, password_hash, created, updated)
      values (${id('person')}, '${number}${buyer_email}', '${name}', '', now(), now())`);
    await run(`
      insert into site_people (site_id, person_id, role, created) values ('${siteId}', ${id('person')}, 'editor', now())`);
    const mailing = id('mailing').slice(1, -1);
    await run(`
      insert into mailings (site_id, id, post_id, subject, preheader, audience, on_unknown, status, send_at, frozen_at, prepared_at,
        recipients, expected, queued, sending, retrying, unknown, accepted, refused, skipped, bounced, complained, refused_by_policy,
        refused_before, created, updated)
      values ('${siteId}', '${mailing}', '${post}', '${name}', '', '{}', 'repeat', 'sent', now(), now(), now(),
        ${rows / 2}, ${rows / 2}, 0, 0, 0, 0, 0, ${rows / 2}, 0, 0, 0, 0, 0, now(), now())`);
    await many('mailings', mailing);
    await run(`
      insert into mailing_recipients (site_id, mailing_id, subscriber_id, id, email, state, attempts, doubts, reply_code, reply_status, ended_at)
      select '${siteId}', '${mailing}', 'reader00' || n, 'copy${number}000' || n, '${buyer_email}', 'refused', 1, 0, 550, '5.1.1', now()
      from generate_series(1000001, ${1_000_000 + rows / 2}) n`);
    await run(`
      insert into webhook_deliveries
        (site_id, id, subscription_id, event, status, attempt_count, attempt_limit, in_replay, created, updated)
      values ('${siteId}', ${id('sent')}, '${webhook}', 'content.created', 'failed', 6, 6, false, now(), now())`);
    await many('webhook_deliveries', id('sent').slice(1, -1));
    await many('trash', gone);
    return { webhook, mailing };
  };
  await named(sentence, 1);
  // IDs begin with their creation time.
  app.clock.advance({ minutes: 1 });
  const made = await named(word, 2);
  const { items } = await own.audit.list.query({});
  await many('audit_log', items[0]?.id ?? '');
  return made;
}

/** Measures a list: the share of the row that names have, and elements that scroll sideways. */
const measure = (page: Page) =>
  page.evaluate(() => {
    const wide = [document.documentElement, ...document.querySelectorAll('main *')].filter(
      (element) =>
        element.scrollWidth > element.clientWidth + 1 &&
        (element === document.documentElement || getComputedStyle(element).overflowX === 'auto') &&
        // Toolbars may scroll sideways.
        !element.matches('[role=toolbar]') &&
        !element.querySelector('[role=radiogroup]'),
    );
    const shares = [...document.querySelectorAll('[data-list=true] tbody tr')].map((row) => {
      const name = row.querySelector('td:not([data-place])');
      return (name?.getBoundingClientRect().width ?? 0) / row.getBoundingClientRect().width;
    });
    return {
      rows: shares.length,
      minShare: Math.min(...shares),
      sideways: wide.map((element) => element.outerHTML.slice(0, 120)),
    };
  });

test('in every list a name has 60 % of its row on a phone and 30 % on a tablet, and nothing scrolls sideways', async () => {
  await using app = await startApp();
  const { page, faults } = await browser.open({ viewport: { width: 390, height: 800 } });
  const token = await signIn(app, page, '/');
  const { webhook, mailing } = await fill(app, token);
  await page.reload();
  await wholeScreen(page);
  const links = page.locator('nav[aria-label="Studio"] a, [aria-label="Studio"] a');
  const positions = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  const lists: string[] = [];
  const found: unknown[] = [];
  const ofCv = ['experience', 'education', 'skills', 'certifications'].map((name) => `/studio/${name}`);
  const ofOne = [`/studio/tools/webhooks/${webhook}`, `/studio/newsletters/${mailing}`];
  for (const position of [...positions, ...ofCv, ...ofOne]) {
    if (!position.startsWith('/studio')) continue;
    await openScreen(page, position);
    await wholeScreen(page);
    for (const width of [768, 360, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const { rows: shown, minShare, sideways } = await measure(page);
      if (shown > 0 && width === 360) lists.push(position.replace('/studio', ''));
      // On a tablet a row has further columns.
      if (shown > 0 && minShare < (width < 768 ? 0.6 : 0.3)) found.push({ place: position, width, minShare });
      if (sideways.length > 0) found.push({ place: position, width, sideways });
    }
    const wrong = await findViolations(page);
    if (wrong.length > 0) found.push({ place: position, wrong });
  }
  expect(found).toEqual([]);
  // Modules and lessons have no list of their own.
  expect(lists.length).toBe(Object.keys(allResources).length - 2 + 14);
  expect(faults).toEqual([]);
});

interface ManyRows {
  table: string;
  /** ID of the row to copy. */
  like: string;
  count: number;
  /** Columns with unique values. The number of the copy is appended to each. */
  unique?: readonly string[];
}

/** Adds copies of a row, so that a list has several pages. */
async function addManyRows({ em }: Database, { table, like, count, unique = [] }: ManyRows) {
  const known = await sql<{ column_name: string }>`
    select column_name from information_schema.columns
    where table_name = ${table} and is_generated = 'NEVER'`.execute(em.getKysely());
  const names = known.rows.map(({ column_name }) => column_name);
  const changes = unique.map((name) => sql`${sql.lit(name)}::text, p.${sql.ref(name)} || number`);
  const id = sql`'id', left(p.id, 9) || lpad(number::text, 6, '0')`;
  await sql`
    insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(names.map((name) => sql.ref(`r.${name}`)))}
    from ${sql.table(table)} p, generate_series(1, ${count}::integer) as number,
      jsonb_populate_record(p, jsonb_build_object(${sql.join([id, ...changes])})) as r
    where p.id = ${like}`.execute(em.getKysely());
}
