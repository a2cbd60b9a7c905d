import { expect, test } from 'vitest';
import { siteTokenPrefix } from '../../server/api/access/credentials.ts';
import { startApp } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';
import { signInByMail } from '../support/members.ts';

test('API keys, rotated keys, and sessions of owners and members begin with the token prefix of their site', async () => {
  await using mail = await startMailServer();
  await using app = await startApp({ smtpUrl: mail.url });
  const siteId = await app.seed.ownSite();
  const token = await app.seed.ownerToken();
  const made = await app.post('/api/admin/api-keys', { key: token, body: { name: 'one', scopes: ['read'] } });
  const { id, key } = made.body as { id: string; key: string };
  const rotated = await app.post(`/api/admin/api-keys/${id}/rotate`, { key: token });
  const newer = (rotated.body as { key: string }).key;
  const member = await signInByMail(app, mail, { email: 'mia@example.com' });

  const marked = [token, key, newer, member.token].map((text) => /^(svc_[a-z]+_)(.{5})/.exec(text)?.slice(1));
  const mark = siteTokenPrefix(siteId);
  expect(marked).toEqual([
    ['svc_owner_', mark],
    ['svc_live_', mark],
    ['svc_live_', mark],
    ['svc_member_', mark],
  ]);
  expect(await app.get('/api/v1/posts', { key: newer })).toMatchObject({ status: 200 });
});
