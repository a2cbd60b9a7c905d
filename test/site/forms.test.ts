import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

async function startSite() {
  const app = await startApp();
  return {
    ...app,
    studio: ownerClient(app.baseUrl, await app.seed.ownerToken()).studio,
    visit: createVisitor(app.baseUrl),
  };
}

const words = {
  name: 'Grace',
  email: 'grace@example.com',
  content: 'The best.',
  rating: '5',
  company: '',
  role: 'CTO',
};

test('a visitor who subscribes by the form sees a confirmation on another page', async () => {
  await using app = await startSite();
  const sent = await app.visit('/newsletter', { form: { email: 'grace@example.com', source: 'home' } });
  expect([sent.status, sent.headers.location]).toEqual([303, '/newsletter?sent=1']);
  expect((await app.visit('/newsletter?sent=1')).text).toContain('You are subscribed.');
  const { items } = await app.studio.subscribers.list.query();
  expect(items).toMatchObject([{ email: 'grace@example.com', source: 'home' }]);
});

test('an invalid form is shown again with its values, and the problem beside its field', async () => {
  await using app = await startSite();
  const { status, text } = await app.visit('/testimonials', { form: { ...words, email: '"><b>no' } });
  expect(status).toBe(400);
  expect(text).toContain('aria-describedby="email-hint email-problem" aria-invalid="true"');
  expect(text).toContain('value="&quot;&gt;&lt;b&gt;no"');
  expect(text).toContain('>The best.</textarea>');
  expect(text).toContain('<option selected>5</option>');
  expect((await app.studio.testimonials.list.query()).total).toBe(0);
});

test('a testimonial appears after the owner approves it, without the email address of its author', async () => {
  await using app = await startSite();
  expect((await app.visit('/testimonials', { form: words })).status).toBe(303);
  const [one] = (await app.studio.testimonials.list.query()).items;
  expect(one).toMatchObject({ content: 'The best.', approved: false });
  for (const path of ['/', '/testimonials']) expect((await app.visit(path)).text).not.toContain('The best.');
  await app.studio.testimonials.update.mutate({ id: one?.id ?? '', approved: true });
  for (const path of ['/', '/testimonials']) {
    const { text } = await app.visit(path);
    expect([text.includes('The best.'), text.includes('grace@example.com')]).toEqual([true, false]);
  }
  await app.studio.testimonials.update.mutate({ id: one?.id ?? '', approved: false });
  expect((await app.visit('/')).text).not.toContain('The best.');
});

test.for(['/newsletter', '/testimonials', '/sign-in', '/sign-out'])(
  'a form for %s is refused unless a page of the same host sent it',
  async (path) => {
    await using app = await startSite();
    for (const origin of ['null', '', 'https://evil.example', `${app.baseUrl}.evil.example`]) {
      const { status } = await app.visit(path, { form: words, headers: { origin } });
      expect([origin, status]).toEqual([origin, 403]);
    }
    expect((await app.studio.testimonials.list.query()).total).toBe(0);
  },
);

test('a form with the honeypot filled in gets the normal response, and nothing is stored', async () => {
  await using app = await startSite();
  const form = { ...words, homepage: 'https://spam.example' };
  expect((await app.visit('/newsletter', { form })).status).toBe(303);
  expect((await app.visit('/testimonials', { form })).status).toBe(303);
  expect((await app.studio.subscribers.list.query()).total).toBe(0);
  expect((await app.studio.testimonials.list.query()).total).toBe(0);
});

test.for([
  ['//evil.example', '/account'],
  ['https://evil.example/', '/account'],
  ['/\\evil.example', '/account'],
  ['/\t/evil.example', '/account'],
  ['/..//evil.example', '/account'],
  ['/%2e%2e//evil.example', '/account'],
  ['/.\\/evil.example', '/account'],
  ['/posts/a?b=c', '/posts/a?b=c'],
])('after signing in, `next` %j redirects to %j, never to another host', async ([next = '', location]) => {
  await using app = await startApp();
  const visit = createVisitor(app.baseUrl);
  let code = '';
  app.deps.mailer.send = async ({ text }) => {
    code = /\d{6}/.exec(text)?.[0] ?? '';
  };
  await app.seed.ownSite();
  await visit('/sign-in', { form: { email: 'grace@example.com' } });
  const entered = await visit('/sign-in', { form: { email: 'grace@example.com', code, next } });
  expect([entered.status, entered.headers.location]).toEqual([303, location]);
});

test('forms count in the rate limits of their calls: sign-in codes as `strict`, others as `normal`', async () => {
  await using app = await startApp({ limits: {} });
  await app.seed.ownSite();
  const visit = createVisitor(app.baseUrl);
  const statuses = async (path: string, times: number) => {
    const answers = [];
    for (let n = 0; n < times; n++)
      answers.push((await visit(path, { form: { email: `a${n}@example.com` } })).status);
    return answers;
  };
  expect(await statuses('/sign-in', 4)).toEqual([200, 200, 200, 429]);
  expect((await statuses('/newsletter', 11)).at(-1)).toBe(429);
});

test('a form that is too long or has another content type is refused', async () => {
  await using app = await startSite();
  const long = await app.visit('/newsletter', { form: { email: 'x'.repeat(70_000) } });
  expect(long.status).toBe(413);
  const typed = await app.visit('/newsletter', { form: {}, headers: { 'content-type': 'application/json' } });
  expect(typed.status).toBe(400);
});
