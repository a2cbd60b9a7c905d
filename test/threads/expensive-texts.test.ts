import { afterAll, expect, test } from 'vitest';
import { createThreadPool } from '../../server/threads/thread-pool.ts';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

// Markdown texts that are expensive to render must not delay requests of other sites.

const isLong = (input: unknown) => typeof input === 'string' && input.length > 50_000;

const threadPool = createThreadPool();
const app = await startApp({
  threadPool: {
    ...threadPool,
    // Long texts get a CPU limit of 5 ms, which they exceed on any machine.
    run: (siteId, job, input, transfer) =>
      threadPool.run(siteId, { ...job, cpuMs: isLong(input) ? 5 : job.cpuMs }, input, transfer),
  },
});
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const visit = createVisitor(app.baseUrl);

const dear = (name: string) => `${name} ${'<i>'.repeat(19_900)}`;

test('a text that takes too long to render is shown as plain text, and the preview reports that', async () => {
  expect(await studio.preview.mutate({ content: '*a*' })).toEqual({
    html: '<p><em>a</em></p>\n',
    is_plain: false,
    css: expect.stringContaining('.prose'),
    dir: 'ltr',
  });
  const { html, is_plain } = await studio.preview.mutate({ content: dear('one') });
  expect(is_plain).toBe(true);
  expect(html).toMatch(/^<pre>one &lt;i&gt;&lt;i&gt;/);
});

test('a page with a text that is too expensive is sent with the text in plain form, and is not cached', async () => {
  await recordsOf(app, 'posts', key).add({ title: 'Dear', slug: 'dear', content: dear('two') });
  for (let round = 0; round < 2; round += 1) {
    const { status, text } = await visit('/posts/dear');
    expect(status).toBe(200);
    expect(text).toMatch(/<pre[^>]*>two &lt;i&gt;/);
  }
});

test('texts of a site beyond its queue limit are refused with 503, and texts of other sites are rendered', async () => {
  const other = await app.seed.site();
  const many = Array.from({ length: 150 }, (_, at) =>
    app.deps.markdown('site').render(`*${at}* ${'<b>'.repeat(5_000)}`),
  );
  const outcomes = Promise.allSettled(many);
  await expect(app.deps.markdown(other).render('*a*')).resolves.toMatchObject({
    made: { html: '<p><em>a</em></p>\n' },
  });
  const refused = (await outcomes).filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(40);
  for (const outcome of refused)
    expect(outcome).toMatchObject({ reason: { errorCode: 'busy', status: 503, retryAfter: 1 } });
});

test('a site whose text ended its thread waits for a new thread; another site uses one that is already loaded', async () => {
  const [offender, other] = [await app.seed.site(), await app.seed.site()];
  const render = (siteId: string, text: string) => app.deps.markdown(siteId).render(text);
  // After this, both threads have loaded their code.
  await Promise.all([render(offender, '*first*'), render(other, '*second*')]);
  const answered: string[] = [];
  await render(offender, dear('three'));
  const next = render(offender, '*third*').then(() => answered.push('offender'));
  const beside = render(other, '*fourth*').then(() => answered.push('other'));
  await Promise.all([next, beside]);
  expect(answered).toEqual(['other', 'offender']);
});

test('while a site renders expensive texts, requests of another site are answered', async () => {
  const other = createVisitor(app.baseUrl, 'other.example');
  await app.seed.site({ custom_domain: 'other.example' });
  expect((await other('/')).status).toBe(200);
  const before = process.threadCpuUsage();
  let isOver = false;
  const many = Array.from({ length: 10 }, (_, at) => studio.preview.mutate({ content: dear(`${at}`) }));
  const all = Promise.all(many).finally(() => {
    isOver = true;
  });
  let answers = 0;
  for (; !isOver; answers += 1) expect((await other('/robots.txt')).status).toBe(200);
  expect((await all).map(({ is_plain }) => is_plain)).toEqual(many.map(() => true));
  expect(answers).toBeGreaterThan(20);
  const { user, system } = process.threadCpuUsage(before);
  // The main process itself uses less CPU per answer than one of the texts would.
  expect((user + system) / 1_000 / (answers + many.length)).toBeLessThan(50);
});
