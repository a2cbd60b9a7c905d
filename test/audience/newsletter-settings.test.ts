import { expect, test } from 'vitest';
import { tiersOff } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startMailingSite } from '../support/mailing-site.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

// Settings for newsletters, and test emails.

test("a site can send ten test emails an hour, not counting refused ones; an API key's test email shows only public content", async () => {
  await using mail = await startMailServer();
  await using limited = await startMailingSite({
    smtpUrl: mail.url,
    limits: tiersOff,
  });
  const { studio: own } = ownerClient(limited.baseUrl, await limited.seed.ownerToken(limited.siteId));
  const { id: post_id } = await own.posts.create.mutate({
    title: 'News',
    content: 'The secret.',
    excerpt: 'In short.',
    access_tier: 'members',
  });
  const draft = (await own.posts.create.mutate({ title: 'Draft', is_draft: true })).id;
  const programKey = await limited.seed.key({ scopes: ['write:newsletter'] });
  const to = ['ada@example.com'];
  const tried = (body: object) => limited.post('/api/v2/mailings/test', { key: programKey, body });
  expect(await tried({ post_id, to, as: 'members' })).toMatchObject(
    failure(400, 'validation_failed', expect.anything()),
  );
  expect(await tried({ post_id, to: [] })).toMatchObject(
    failure(400, 'validation_failed', expect.anything()),
  );
  expect(await tried({ post_id: draft, to })).toMatchObject(failure(404, 'not_found'));
  expect(await tried({ post_id, to })).toMatchObject({
    status: 200,
    body: { results: [{ to: to[0], accepted: true, reply: null }] },
  });
  expect(mail.mails[0]?.raw).not.toContain('secret');
  for (let n = 1; n < 10; n++) await own.mailings.test.mutate({ post_id: draft, to });
  const refused = await tried({ post_id, to });
  expect(refused).toMatchObject(failure(429, 'rate_limited', expect.anything()));
  expect(Number(refused.headers.get('retry-after'))).toBe(3_600);
  const other = await limited.seed.site({ subdomain: 'other' });
  const { studio: theirs } = ownerClient(limited.baseUrl, await limited.seed.ownerToken(other));
  const theirPost = (await theirs.posts.create.mutate({ title: 'A', content: 'B' })).id;
  expect((await theirs.mailings.test.mutate({ post_id: theirPost, to })).results).toHaveLength(1);
  limited.clock.advance({ hours: 1 });
  expect((await tried({ post_id, to })).status).toBe(200);
  expect(mail.mails).toHaveLength(12);
});

test('an owner changes newsletter settings; null and an empty text unset them', async () => {
  await using app = await startMailingSite();
  const { studio: own } = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site()));
  const settings = async () => (await own.site.get.query()).newsletter;
  const unset = { confirm: null, from_name: '', reply_to: '', postal_address: '' };
  expect(await settings()).toEqual(unset);
  const newsletter = {
    confirm: false,
    from_name: 'Ada',
    reply_to: 'Ada@example.com',
    postal_address: '1 Long Lane',
  };
  await own.site.update.mutate({ newsletter });
  expect(await settings()).toEqual({ ...newsletter, reply_to: 'ada@example.com' });
  await own.site.update.mutate({ newsletter: { from_name: null, reply_to: '' } });
  expect(await settings()).toEqual({ ...newsletter, from_name: '', reply_to: '' });
  expect(await refusal(own.site.update.mutate({ newsletter: { reply_to: 'nobody' } }))).toMatchObject({
    code: 'validation_failed',
  });
  await own.site.update.mutate({ newsletter: { confirm: null, postal_address: '' } });
  expect(await settings()).toEqual(unset);
});

test('subscribers have to confirm if the owner requires it, and by default if there is a mail server', async () => {
  await using mail = await startMailServer();
  const statusAt = async (options: { smtpUrl?: string }, confirm: boolean | null) => {
    await using site = await startMailingSite(options);
    const { studio: own } = ownerClient(site.baseUrl, await site.seed.ownerToken(site.siteId));
    await own.site.update.mutate({ newsletter: { confirm } });
    await visitorClient(site.baseUrl).site.newsletter.subscribe.mutate({ email: 'ada@example.com' });
    const visit = createVisitor(site.baseUrl);
    const { headers } = await visit('/newsletter', { form: { email: 'bob@example.com', source: 'home' } });
    const rows = await site.run<{ status: string }>('select distinct status from subscribers');
    return [...rows.map(({ status }) => status), new URL(String(headers.location), site.baseUrl).search];
  };
  const requested = ['pending', '?sent=mail'];
  const added = ['active', '?sent=1'];
  expect(await statusAt({ smtpUrl: mail.url }, null)).toEqual(requested);
  expect(await statusAt({ smtpUrl: mail.url }, true)).toEqual(requested);
  expect(await statusAt({ smtpUrl: mail.url }, false)).toEqual(added);
  expect(await statusAt({}, null)).toEqual(added);
});
