import { createTRPCClient, httpLink } from '@trpc/client';
import superjson from 'superjson';
import { expect, test } from 'vitest';
import type { AppRouter } from '../../server/app-router.ts';
import { startApp } from '../support/app.ts';

const rpc = (baseUrl: string, headers: Record<string, string>) =>
  createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${baseUrl}/trpc`, transformer: superjson, headers })],
  });

test('smoke: every procedure of issue four answers', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const key = await app.seed.key({ scopes: ['read', 'read:content', 'read:members', 'read:analytics'] });
  const owner = rpc(app.baseUrl, { authorization: `Bearer ${token}` });
  const visitor = rpc(app.baseUrl, {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  });
  const { id: course_id } = await owner.studio.courses.create.mutate({ title: 'Course' });
  const { id: m1 } = await owner.studio.modules.create.mutate({ course_id, title: 'M1' });
  const { id: m2 } = await owner.studio.modules.create.mutate({ course_id, title: 'M2' });
  await owner.studio.lessons.create.mutate({ module_id: m1, title: 'L1', content: 'secret' });
  await owner.studio.modules.reorder.mutate({ ids: [m2, m1] });
  expect(await app.get(`/api/v2/courses/${course_id}/curriculum`, { key })).toMatchObject({
    status: 200,
    body: {
      course_id,
      modules: [
        { id: m2, sort_order: 0 },
        { id: m1, sort_order: 1, lessons: [{ title: 'L1' }] },
      ],
    },
  });
  expect((await owner.studio.curriculum.get.query({ course_id })).modules[1]?.lessons[0]?.content).toBe(
    'secret',
  );
  await visitor.site.newsletter.subscribe.mutate({ email: 'A@example.com' });
  await visitor.site.newsletter.subscribe.mutate({ email: 'a@example.com' });
  await visitor.site.testimonials.submit.mutate({ name: 'N', email: 'a@example.com', content: 'Great' });
  await visitor.site.analytics.track.mutate({
    path: '/x?y=1',
    referrer: 'https://news.example.com/1',
    utm_source: 's',
  });
  const { id: post } = await owner.studio.posts.create.mutate({
    title: 'Paid',
    access_tier: 'paid',
    content: 'body',
  });
  await owner.studio.purchases.record.mutate({
    buyer_email: 'a@example.com',
    content_type: 'posts',
    content_id: post,
    amount: 1.5,
    currency: 'EUR',
  });
  const { id: enrolment } = await owner.studio.enrollments.create.mutate({
    course_id,
    buyer_email: 'a@example.com',
  });
  await owner.studio.enrollments.complete.mutate({ id: enrolment });
  for (const event of [
    'newsletter.subscribe',
    'testimonial.submitted',
    'purchase.completed',
    'course.enrolled',
    'course.completed',
    'content.created',
  ]) {
    const answer = await app.get(`/api/v1/webhooks/poll/${event}`, { key });
    expect(answer.status, event).toBe(200);
    expect((answer.body as { events: unknown[] }).events.length, event).toBe(
      event === 'content.created' ? 1 : 1,
    );
  }
  const mails: string[] = [];
  app.deps.mailer.send = async (mail) => void mails.push(mail.text);
  await visitor.site.members.requestCode.mutate({ email: 'a@example.com', name: 'A' });
  const code = /\d{6}/.exec(mails[0] ?? '')?.[0] ?? '';
  await expect(
    visitor.site.members.signIn.mutate({ email: 'a@example.com', code: '000000' }),
  ).rejects.toMatchObject({ data: { code: 'unauthorized' } });
  const session = await visitor.site.members.signIn.mutate({ email: 'a@example.com', code });
  const headers = { 'x-member-token': session.token };
  expect(await app.get('/api/v1/posts/paid', { key, headers })).toMatchObject({ body: { content: 'body' } });
  expect(await app.get('/api/v2/posts', { key, headers })).toMatchObject({
    body: { items: [{ content: 'body', access_tier: 'paid' }] },
  });
  expect(await app.get('/api/v2/members', { key })).toMatchObject({
    body: { items: [{ email: 'a@example.com', name: 'A' }], total: 1 },
  });
  expect(await app.get('/api/v2/analytics', { key })).toMatchObject({
    body: { total_views: 1, popular_pages: [{ path: '/x', views: 1 }], utm: [{ source: 's' }] },
  });
  await owner.studio.members.update.mutate({ id: session.member.id, status: 'blocked' });
  expect(await app.get('/api/v1/posts/paid', { key, headers })).toMatchObject({ body: { is_gated: true } });
  await owner.studio.profile.update.mutate({ headline: 'Hi' });
  await owner.studio.site.update.mutate({ subdomain: 'ada', mcp_enabled: false });
  expect(await owner.studio.site.get.query()).toMatchObject({ subdomain: 'ada', mcp_enabled: false });
  expect((await owner.studio.posts.list.query({ status: 'draft' })).total).toBe(0);
});
