import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger } from '../../shared/runtime/logger.ts';
import { startApp, type TestApp, testSecretKey } from '../support/app.ts';
import { resolving } from '../support/fixed-dns.ts';

/** Every value of every table as one text, including the job queue. */
async function dump(app: TestApp): Promise<string> {
  const { em } = app.deps.database;
  const tables = await em.execute<{ name: string }[]>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`);
  const texts = [];
  for (const { name } of tables) {
    const rows = await em.execute<{ row: string }[]>(`select t::text as row from ${name} as t`);
    texts.push(name, ...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}

test('no key, token, password or webhook secret is stored or logged in plain form, even if a statement fails', async () => {
  const log: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void log.push(String(chunk))) });
  const logger = createLogger({ LOG_LEVEL: 'trace', NODE_ENV: 'production' }, sink);
  await using app = await startApp({ webhooks: { lookup: resolving({}) }, logger });
  const login = await app.seed.owner();
  const { token } = (await app.post('/api/admin/session', { body: login })).body as { token: string };
  const own = { key: token };
  const made = await app.post('/api/admin/api-keys', {
    ...own,
    body: { name: 'k', scopes: ['write', 'webhooks'] },
  });
  const { key, id } = made.body as { key: string; id: string };
  const rotated = (await app.post(`/api/admin/api-keys/${id}/rotate`, own)).body as { key: string };
  const subscription = { url: 'https://hooks.example.com/', events: ['content.created'] };
  const given = 'a-secret-of-mine-0123456789';
  const generated = (await app.post('/api/admin/webhooks', { ...own, body: subscription })).body as {
    secret: string;
  };
  await app.post('/api/v2/webhooks', { key, body: { ...subscription, secret: given } });
  await app.post('/api/v1/posts', { key, body: { title: 'x' } });
  await app.post('/api/admin/session', { body: { ...login, password: `${login.password}!` } });
  await app.deps.database.em.execute(`
    create function fail() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create trigger fail before insert on webhook_subscriptions execute function fail();
    create trigger fail before insert or update on api_keys execute function fail();
    create trigger fail before insert on owner_sessions execute function fail();`);
  const failed = [
    await app.post('/api/v2/webhooks', { key, body: { ...subscription, secret: given } }),
    await app.post('/api/admin/webhooks', { ...own, body: subscription }),
    await app.post('/api/admin/api-keys', { ...own, body: { name: 'k', scopes: ['read'] } }),
    await app.post(`/api/admin/api-keys/${id}/rotate`, own),
    await app.post('/api/admin/session', { body: login }),
  ];
  expect(failed.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
  const stored = await dump(app);
  expect(stored).toContain('hooks.example.com');
  expect(log.join('')).toContain('the disk is full');
  const secrets = [token, key, rotated.key, given, generated.secret, login.password, testSecretKey];
  for (const secret of secrets) {
    expect(stored.includes(secret), `stored: ${secret}`).toBe(false);
    expect(log.join('').includes(secret), `logged: ${secret}`).toBe(false);
  }
  expect(`${stored}${log.join('')}`).not.toMatch(
    /svc_live_[0-9A-Za-z]{38}|svc_owner_[0-9A-Za-z]{43}|whsec_[0-9A-Za-z+/]{43}=/,
  );
});
