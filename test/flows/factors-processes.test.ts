import { expect, test } from 'vitest';
import { z } from 'zod';
import { startApp } from '../support/app.ts';
import { codeAt } from '../support/factors.ts';
import { createCaller } from '../support/http.ts';
import { ownerClient } from '../support/rpc.ts';
import { startServerProcess } from '../support/server-process.ts';

const at = '/api/admin/session';

test('two processes accept the answer to a challenge only once, and count attempts together', async () => {
  await using app = await startApp();
  const login = await app.seed.owner();
  const many = { RATE_LIMIT_STRICT: '1000/1000', RATE_LIMIT_MODERATE: '1000/1000' };
  await using one = await startServerProcess(app.databaseUrl, { RATE_LIMIT_STORE: 'database', ...many });
  await using other = await startServerProcess(app.databaseUrl, { RATE_LIMIT_STORE: 'database', ...many });
  const callers = [one, other].map(({ baseUrl }) => createCaller(baseUrl));
  const [callOne, callOther] = [createCaller(one.baseUrl), createCaller(other.baseUrl)];
  const signedIn = await callOne('POST', at, { body: login });
  const { token } = z.object({ token: z.string() }).parse(signedIn.body);
  const factorsAt = (baseUrl: string) => ownerClient(baseUrl, token).studio.factors;
  const { secret } = await factorsAt(one.baseUrl).totp.begin.mutate({ current: login.password });
  await factorsAt(other.baseUrl).totp.confirm.mutate({ code: codeAt(secret, new Date()) });

  const requested = await callOther('POST', at, { body: login });
  const { challenge } = z.object({ error: z.object({ challenge: z.string() }) }).parse(requested.body).error;
  // The code of this half minute was used, and the next one is already valid.
  const body = { challenge, code: codeAt(secret, new Date(Date.now() + 30_000)) };
  const answers = await Promise.all(callers.map((call) => call('POST', `${at}/factor`, { body })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401]);

  const statuses: number[] = [];
  for (let n = 0; n < 6; n++)
    for (const call of callers)
      statuses.push(
        (await call('POST', `${at}/proof`, { key: token, body: { code: '0000-0000-0000-0000' } })).status,
      );
  expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
});
