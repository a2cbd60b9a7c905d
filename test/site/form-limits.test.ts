import { afterAll, describe, expect, test } from 'vitest';
import { forms } from '../../server/site/forms/serve-forms.ts';
import { limitOfForm } from '../../server/site/procedures.ts';
import { buildApp } from '../../server/start/app.ts';
import { type TierName, tiers } from '../../shared/contract/limits.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { firstSegment, serviceSegments } from '../../shared/contract/site-paths.ts';
import { siteStrings } from '../../shared/i18n/site-strings.ts';
import { tiersOff } from '../support/app.ts';
import { withLearning } from '../support/learning-site.ts';
import { startMailServer } from '../support/mail-server.ts';
import { emailPaths } from '../support/newsletter-link-paths.ts';
import { startSellingSite } from '../support/selling-site.ts';
import { createVisitor, type PageAnswer } from '../support/visitor.ts';

// Rate limits of all forms of the site. Each form comes from an address of its own.

const { normal: _n, strict: _s, site: _p, ...otherTiers } = tiersOff;
const mail = await startMailServer();
const app = await startSellingSite({
  smtpUrl: mail.url,
  limits: otherTiers,
  config: { trustProxy: ['127.0.0.0/8'] },
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await mail.close();
});

const siteId = await app.seed.ownSite();
const learning = withLearning(app, { siteId, token: await app.seed.ownerToken(siteId) });
const offer = await app.sellPost();
const membership = await app.sellMembership();
const links = await emailPaths(app, siteId);

let clients = 0;

/** Returns the next unused client address. */
const nextClient = () => {
  clients += 1;
  return `10.0.${Math.floor(clients / 256)}.${clients % 256}`;
};

/** Form that can be sent, with what its page shows. */
interface Sent {
  path: string;
  /** Submitted fields. The page that shows the form again contains all of them. */
  fields?: Record<string, string>;
  /** Path of the page that contains the form; null if it is shown only after another form. */
  page: string | null;
  visit: ReturnType<typeof createVisitor>;
  /** Status of the response to an accepted form. */
  accepted: number;
}

const visit = createVisitor(app.baseUrl);
const email = 'grace@example.com';

let members = 0;
const signUp = () => {
  members += 1;
  return learning.signUp(`member${members}@example.com`);
};

const begunCheckout = async (id: string, visitor = visit) => {
  const headers = { 'x-forwarded-for': nextClient() };
  members += 1;
  const form = { email: `buyer${members}@example.com` };
  return String((await visitor(`/buy/${id}`, { form, headers })).headers.location);
};

const paidCheckout = async (id: string, visitor = visit) => {
  const payment = await begunCheckout(id, visitor);
  return String(
    (await visitor(payment, { form: {}, headers: { 'x-forwarded-for': nextClient() } })).headers.location,
  );
};

/** Member with a membership of the demo provider. */
async function enrolled() {
  const member = await signUp();
  await paidCheckout(membership.id, member.visit);
  const { items } = await app.studio.memberships.list.query({ email: member.email });
  return { visit: member.visit, id: items[0]?.id ?? '' };
}

/** Learner of a course with one lesson. */
async function learner(isDone = false) {
  const course = await learning.createCourse({ modules: [['One']] });
  const member = await signUp();
  if (isDone) await member.learning.done.mutate({ lesson_id: course.lessons[0] ?? '' });
  return { ...course, lesson: course.lessonPath(0), visit: member.visit };
}

const testimonial = { content: 'The best.', name: 'Grace', email, role: 'CTO', company: 'Navy', rating: '5' };

/** Forms to send, by the path of their route. */
const cases: Record<string, readonly (() => Promise<Sent>)[]> = {
  '/newsletter': [
    async () => ({
      ...{ path: '/newsletter', page: '/newsletter', fields: { email, source: 'home' } },
      ...{ visit, accepted: 303 },
    }),
  ],
  '/testimonials': [
    async () => ({
      ...{ path: '/testimonials', page: '/testimonials', fields: testimonial, visit, accepted: 303 },
    }),
  ],
  '/sign-in': [
    async () => ({
      ...{ path: '/sign-in', page: '/sign-in', fields: { email, next: '/posts' }, visit, accepted: 200 },
    }),
    async () => ({
      ...{ path: '/sign-in', page: null, fields: { email, code: '123 456', next: '/posts' } },
      ...{ visit, accepted: 400 },
    }),
  ],
  '/sign-out': [
    async () => ({ path: '/sign-out', page: '/account', visit: (await signUp()).visit, accepted: 303 }),
  ],
  '/account': [
    async () => ({
      ...{ path: '/account', page: '/account', visit: (await signUp()).visit, accepted: 303 },
    }),
  ],
  '/account/billing': [
    async () => {
      const { visit: member, id } = await enrolled();
      const fields = { membership_id: id };
      return { path: '/account/billing', page: '/account', fields, visit: member, accepted: 303 };
    },
  ],
  '/account/billing/demo/:membership': [
    async () => {
      const { visit: member, id } = await enrolled();
      const path = `/account/billing/demo/${id}`;
      return { path, page: path, visit: member, accepted: 303 };
    },
  ],
  '/buy/:offer': [
    async () => {
      const path = `/buy/${offer.id}`;
      return { path, page: path, fields: { email }, visit, accepted: 303 };
    },
  ],
  '/buy/demo/:token': [
    async () => {
      const path = await begunCheckout(offer.id);
      return { path, page: path, visit, accepted: 303 };
    },
  ],
  '/buy/done/:token/sign-in': [
    async () => {
      const path = `${await paidCheckout(offer.id)}/sign-in`;
      return { path, page: path, visit, accepted: 200 };
    },
    async () => {
      const path = `${await paidCheckout(offer.id)}/sign-in`;
      return { path, page: null, fields: { code: '123 456' }, visit, accepted: 400 };
    },
  ],
  '/courses/:slug/begin': [
    async () => {
      const { path, visit: member } = await learner();
      return { path: `${path}/begin`, page: path, visit: member, accepted: 303 };
    },
  ],
  '/courses/:slug/lessons/:lesson': [
    async () => {
      const { lesson, visit: member } = await learner();
      return { path: lesson, page: lesson, fields: { action: 'done' }, visit: member, accepted: 303 };
    },
    async () => {
      const { lesson, visit: member } = await learner(true);
      return { path: lesson, page: lesson, fields: { action: 'undo' }, visit: member, accepted: 303 };
    },
  ],
  '/courses/:slug/certificate': [
    async () => {
      const { path, visit: member } = await learner(true);
      const fields = { name: 'Grace Hopper' };
      return { path: `${path}/certificate`, page: path, fields, visit: member, accepted: 303 };
    },
  ],
  '/newsletter/confirm/:token': [
    async () => ({ path: links.confirm, page: links.confirm, visit, accepted: 200 }),
  ],
  '/newsletter/unsubscribe/:token': [
    async () => ({ path: links.unsubscribe, page: links.unsubscribe, visit, accepted: 200 }),
  ],
};

const send = ({ path, fields = {}, visit: visitor }: Sent, client: string) =>
  visitor(path, { form: fields, headers: { 'x-forwarded-for': client } });

/** Returns the number of requests that count for a subject, by tier. Tiers without any are left out. */
async function countsOf(subject: string) {
  const used: [TierName, number][] = [];
  for (const tier of keysOf(tiers)) {
    const decision = await app.deps.limiter.peek(tier, subject);
    if (decision && decision.remaining < decision.limit)
      used.push([tier, decision.limit - decision.remaining]);
  }
  return Object.fromEntries(used);
}

/** Counts requests of a subject in a tier until the next one would be refused. */
async function exhaust(tier: TierName, subject: string) {
  while ((await app.deps.limiter.peek(tier, subject))?.allowed) await app.deps.limiter.take(tier, subject);
}

const headingOf = ({ text }: PageAnswer) => /<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1];

/** Returns the fields that the forms of a page contain, as pairs of name and value. */
function fieldsOf({ text }: PageAnswer): string[][] {
  const inputs = [...text.matchAll(/<(?:input|button)\b[^>]*>/g)].map(([tag]) => [
    / name="([^"]*)"/.exec(tag)?.[1] ?? '',
    / value="([^"]*)"/.exec(tag)?.[1] ?? '',
  ]);
  const areas = [...text.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>([^<]*)</g)];
  const selects = [...text.matchAll(/<select[^>]* name="([^"]*)".*?<option selected>([^<]*)/gs)];
  return [...inputs, ...[...areas, ...selects].map(([, name = '', value = '']) => [name, value])];
}

test('every route of the site that takes a form is in the list of forms, and has a case below', async () => {
  const server = buildApp(app.deps);
  const served: string[] = [];
  server.addHook('onRoute', ({ method, url }) => {
    const first = firstSegment(url);
    if (method === 'POST' && !serviceSegments.has(first) && !['trpc', 'oauth', 'hooks'].includes(first))
      served.push(url);
  });
  await server.ready();
  await server.close();
  const listed = forms.map(({ path }) => path);
  expect(served.toSorted()).toEqual(listed.toSorted());
  expect(Object.keys(cases).toSorted()).toEqual(listed.toSorted());
});

const rows = forms.flatMap(({ path, calls }) =>
  (cases[path] ?? []).map((prepare, at) => ({ name: `${path} #${at + 1}`, prepare, ...limitOfForm(calls) })),
);

describe.for(rows)('$name', ({ prepare, tier, countsByInput }) => {
  const pageTier = tier === 'site' ? 'normal' : 'site';
  /** Subject that the form counts for: the client address, or the reader of an unsubscribe link. */
  const subjectOf = async (client: string) => {
    if (!countsByInput) return client;
    const [row] = await learning.run<{ id: string }>('select id from subscribers where email = ?', [
      'active@example.com',
    ]);
    return `letter ${siteId}/${row?.id}`;
  };

  test('counts once, in the tier that its procedures declare', async () => {
    const sent = await prepare();
    const client = nextClient();
    const answer = await send(sent, client);
    expect(answer.status).toBe(sent.accepted);
    expect(await countsOf(await subjectOf(client))).toEqual({ [tier]: 1 });
    if (countsByInput) expect(await countsOf(client)).toEqual({});
  });

  test.for(['en', 'de'])(
    'at the limit, its page shows it again in %s with status 429, Retry-After and its values',
    async (language) => {
      await app.studio.site.update.mutate({ language });
      const sent = await prepare();
      const client = nextClient();
      const subject = await subjectOf(client);
      const shown = sent.page && (await sent.visit(sent.page));
      await exhaust(tier, subject);
      const full = await countsOf(subject);
      const answer = await send(sent, client);
      expect(answer.status).toBe(429);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.headers['x-ratelimit-remaining']).toBe('0');
      expect(answer.text).toContain(siteStrings(language).problems.often);
      expect(answer.text).toMatch(
        new RegExp(
          `<(form method="post"|form [^>]*method="post"|button)[^>]* (form)?action="${RegExp.escape(sent.path)}"|<form method="post">`,
        ),
      );
      if (shown) expect(headingOf(answer)).toBe(headingOf(shown));
      expect(fieldsOf(answer)).toEqual(expect.arrayContaining(Object.entries(sent.fields ?? {})));
      // The refused form counts nowhere. The page that shows it counts as a page.
      expect(await countsOf(subject)).toEqual(countsByInput ? full : { ...full, [pageTier]: 1 });
      if (countsByInput) expect(await countsOf(client)).toEqual({ site: 1 });
    },
  );

  test('is not shown again to a client that may open no further page', async () => {
    const sent = await prepare();
    const client = nextClient();
    await exhaust(tier, await subjectOf(client));
    await exhaust(pageTier, client);
    const { status, headers, text } = await send(sent, client);
    expect([status, Number(headers['retry-after']) > 0, text.includes('<form')]).toEqual([429, true, false]);
  });

  // Mail programs send one-click forms from any origin and with any body.
  test.skipIf(countsByInput)('is refused for its limit, whatever else is wrong with it', async () => {
    const sent = await prepare();
    const client = nextClient();
    await exhaust(tier, client);
    const headers = { 'x-forwarded-for': client };
    for (const wrong of [{ origin: 'https://evil.example' }, { 'content-type': 'application/json' }]) {
      const { status, text } = await sent.visit(sent.path, { form: {}, headers: { ...headers, ...wrong } });
      expect([wrong, status, text.includes('<form')]).toEqual([wrong, 429, false]);
    }
  });
});
