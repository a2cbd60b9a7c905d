import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { callEndpoint, endpoints } from '../support/endpoints.ts';
import { captureLog } from '../support/log.ts';

// Secrets never reach the log, whether a call succeeds or fails.

test('no key, token, password or webhook secret reaches the log, whichever part of a request contains it', async () => {
  const log = captureLog();
  await using app = await startApp({
    logger: log.logger,
    webhooks: { lookup: async () => ['93.184.215.14'] },
  });
  const secrets = await useEverySecret(app);
  await app.deps.database.em.execute('alter table sites rename to elsewhere');
  await sendEverywhere(app, secrets);
  expect(log.errors().length).toBeGreaterThan(0);
  expect(found(log.text(), secrets)).toEqual([]);
});

test('no secret reaches the log if the database rejects a write that contains it', async () => {
  const log = captureLog();
  await using app = await startApp({
    logger: log.logger,
    webhooks: { lookup: async () => ['93.184.215.14'] },
  });
  const key = await app.seed.ownerToken();
  const { email, password } = await app.seed.owner();
  for (const table of ['api_keys', 'webhook_subscriptions', 'owner_sessions']) {
    await app.deps.database.em.execute(`alter table ${table} add constraint never check (false) not valid`);
  }
  const secret = 'whsec_a_secret_of_the_caller';
  const scopes = ['read'];
  const answers = [
    await app.post('/api/admin/api-keys', { key, body: { name: 'Never stored', scopes } }),
    await app.post('/api/admin/webhooks', {
      key,
      body: { url: 'https://hooks.example.com', events: ['content.created'], secret },
    }),
    await app.post('/api/admin/session', { body: { email, password } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
  expect(log.errors()).toHaveLength(3);
  expect(found(log.text(), [key, secret, password])).toEqual([]);
  expect(log.text()).not.toMatch(/svc_live_\w{38}|svc_owner_\w{43}/);
});

/** Creates a secret of every kind through the API and returns them. */
async function useEverySecret(app: TestApp): Promise<string[]> {
  const key = await app.seed.key({ scopes: scopeNames });
  const { email, password } = await app.seed.owner();
  const session = await app.post('/api/admin/session', { body: { email, password } });
  const { token } = session.body as { token: string };
  const url = 'https://hooks.example.com';
  const webhook = await app.post('/api/v2/webhooks', { key, body: { url, events: ['*'] } });
  const created = await app.post('/api/admin/api-keys', {
    key: token,
    body: { name: 'Second', scopes: ['read'] },
  });
  const { id, key: second } = created.body as { id: string; key: string };
  const rotated = await app.post(`/api/admin/api-keys/${id}/rotate`, { key: token });
  const { secret } = webhook.body as { secret: string };
  const { key: third } = rotated.body as { key: string };
  return [key, password, token, secret, second, third];
}

/** Sends each secret in every part of a request, to every endpoint. */
async function sendEverywhere(app: TestApp, secrets: string[]) {
  for (const secret of secrets) {
    const headers = {
      'x-api-key': secret,
      cookie: `key=${secret}`,
      'x-member-token': secret,
      'x-preview-token': secret,
      referer: `https://a.example/${secret}`,
    };
    const calls = endpoints.map((endpoint) => {
      const path = `${endpoint.path.replace(/[^/]+$/, secret)}?api_key=${secret}&cursor=${secret}`;
      const body = endpoint.body && { ...endpoint.body, key: secret, [secret]: 1 };
      return callEndpoint(app, { ...endpoint, path }, { key: secret, headers, ...(body && { body }) });
    });
    await Promise.all(calls);
    await Promise.all(endpoints.map((endpoint) => callEndpoint(app, endpoint, { key: secret, headers })));
  }
}

/** Secrets that the text contains, in plain form or as their hash. */
function found(text: string, secrets: string[]): string[] {
  const hash = (secret: string) => createHash('sha256').update(secret).digest('hex');
  return secrets.filter((secret) => text.includes(secret) || text.includes(hash(secret)));
}
