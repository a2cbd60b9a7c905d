import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { proceduresOf } from '../../server/api/procedures.ts';
import { assistantsRouter, restRouter, visitorsRouter } from '../../server/api/router/app-router.ts';
import { exportCsv } from '../../server/transfer/export-csv.ts';
import { lesson } from '../../shared/contract/resources/curriculum.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { sitePaths } from '../../shared/contract/site-paths.ts';
import { connectAssistant } from '../support/assistant.ts';
import { startLearningSite } from '../support/learning-site.ts';
import { createVisitor } from '../support/visitor.ts';
import { pathsOf } from '../support/walk-site.ts';

const canary = 'PLANTED-CANARY';
const planted = /PLANTED/i;

const site = await startLearningSite({ config: { countsTest: true } });
const { app, studio } = site;
afterAll(() => app[Symbol.asyncDispose]());
const course = await site.createCourse({
  values: { access_tier: 'paid', sequential_access: false, description: 'All of it.' },
  modules: [['One', 'Two']],
});
const [lesson_id = '', other = ''] = course.lessons;
for (const id of course.lessons)
  await studio.lessons.update.mutate({
    id,
    content: canary,
    video_url: `https://video.example.com/${canary}`,
  });
const buyer = await site.signUp('buyer@example.com');
await studio.purchases.record.mutate({
  ...{ buyer_email: buyer.email, content_type: 'courses', content_id: course.id, amount: 5, currency: 'EUR' },
});
await buyer.learning.done.mutate({ lesson_id });
await buyer.learning.done.mutate({ lesson_id: other });
await buyer.learning.certify.mutate({ course_id: course.id, name: 'Grace' });
const offer = await studio.offers.create.mutate({
  ...{
    title: 'Course',
    interval: 'once',
    collection: 'courses',
    record_id: course.id,
    amount: 5,
    currency: 'EUR',
  },
});

/** Schemas that a schema consists of, itself included. */
function partsOf(schema: unknown, found: Set<unknown> = new Set()): Set<unknown> {
  if (typeof schema !== 'object' || schema === null || found.has(schema)) return found;
  found.add(schema);
  const inner = schema instanceof z.ZodType ? schema._zod.def : schema;
  const values = inner instanceof z.ZodType ? [inner] : Object.values(inner);
  for (const value of values) partsOf(value, found);
  return found;
}

test('only the contract of a lesson page, and those of people who work on the site, contain the body or video of a lesson', () => {
  const secret = [lesson.fields.content.output, lesson.fields.video_url.output];
  const all = [restRouter, assistantsRouter, visitorsRouter].flatMap((router) => [
    ...proceduresOf(router).values(),
  ]);
  const holding = all.filter(({ output }) => {
    const parts = partsOf(output);
    return secret.some((field) => parts.has(field));
  });
  expect(holding.map(({ name }) => name).toSorted()).toEqual([
    'studio.lessons.get',
    'studio.lessons.getRevision',
    'visitors.lesson',
  ]);
});

test('the call of a lesson page is served to pages only', async () => {
  const key = await app.seed.key({ scopes: scopeNames });
  const input = { slug: course.slug, lesson_id };
  const query = encodeURIComponent(JSON.stringify({ json: input }));
  for (const name of ['visitors.lesson', 'visitors.learning.course'])
    for (const credential of [key, await app.seed.ownerToken(), '']) {
      const headers = { 'x-member-token': buyer.token };
      const answer = await app.get(`/trpc/${name}?input=${query}`, { key: credential, headers });
      expect([name, answer.status]).toEqual([name, 404]);
    }
});

test('no page, feed, file or error contains the body or video of a lesson, except its page for those who may read it', async () => {
  const draft = await site.createCourse({ values: { is_draft: true }, modules: [['*Sample', 'Closed']] });
  for (const id of draft.lessons) await studio.lessons.update.mutate({ id, content: canary });
  const { token: preview } = await studio.previews.create.mutate({
    ...{ collection: 'courses', id: draft.id, as: 'members' },
  });
  const previewed = await createVisitor(app.baseUrl)(`/preview/${preview}`);
  expect([previewed.status, previewed.text.includes('Closed')]).toEqual([200, true]);
  const { items } = await studio.enrollments.list.query({ course_id: course.id });
  expect(items).toMatchObject([{ buyer_email: buyer.email, source: 'purchase', done: 2, of: 2 }]);
  const values = { slug: course.slug, lesson: lesson_id, offer: offer.id, token: preview };
  const lessonPaths = course.lessons.map((id) => `${course.path}/lessons/${id}`);
  const paths = [
    ...pathsOf(values).filter((path) => path !== sitePaths.signOut),
    ...lessonPaths,
    `/preview/${preview}`,
    `/courses/${course.slug}.md`,
    '/openapi.json',
  ];
  const forms = [{}, { form: {} }, { form: { action: 'undo' } }];
  const member = await site.signUp('member@example.com');
  for (const [who, visit] of [
    ['nobody', createVisitor(app.baseUrl)],
    ['member', member.visit],
    ['buyer', buyer.visit],
  ] as const) {
    const seen: string[] = [];
    for (const path of paths)
      for (const options of path.startsWith('/courses/') ? forms : [{}]) {
        const { text, headers } = await visit(path, options);
        if (planted.test(text + JSON.stringify(headers))) seen.push(path);
      }
    expect([who, [...new Set(seen)].toSorted()]).toEqual([
      who,
      who === 'buyer' ? lessonPaths.toSorted() : [],
    ]);
  }
});

test('no tool returns the body or video of a lesson', async () => {
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: scopeNames }));
  const answers: unknown[] = [];
  const tools = await assistant.toolNames();
  for (const name of tools.filter((each) => !/^(create|update|delete|send)/.test(each)))
    for (const input of [
      ...[{}, { id: course.id }, { id: lesson_id }, { slug: course.slug }, { q: canary }],
      ...[
        { collection: 'courses', id: course.id },
        { collection: 'lessons', id: lesson_id },
      ],
      ...[{ event: 'course.completed' }, { event: 'course.enrolled' }],
    ])
      answers.push(await assistant.callTool(name, input).catch((error: unknown) => String(error)));
  expect(tools).toContain('get_course_curriculum');
  expect(JSON.stringify(answers)).toContain('"title":"Two"');
  expect(JSON.stringify(answers)).not.toMatch(planted);
});

test('neither events, jobs and logs nor the exports of people contain the body of a lesson', async () => {
  for (const table of [
    'events',
    'graphile_worker._private_jobs',
    'audit_log',
    'enrollments',
    'lesson_progress',
  ])
    expect(JSON.stringify(await site.run(`select * from ${table}`))).not.toMatch(planted);
  for (const kind of ['members', 'subscribers'] as const) {
    const to = new PassThrough();
    const [csv] = await Promise.all([text(to), exportCsv(app.deps, site.siteId, kind, to)]);
    expect(csv).toContain('email');
    expect(csv).not.toMatch(planted);
  }
  expect((await site.eventsOf('course.completed')).length).toBe(1);
});
