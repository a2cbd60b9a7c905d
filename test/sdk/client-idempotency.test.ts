import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startGateway } from '../support/failing-gateway.ts';
import { failureOf, patientClient } from '../support/virtual-time.ts';

test('each write has its own idempotency key, or the one that the caller passes', async () => {
  await using app = await startApp();
  await using gateway = await startGateway(app.baseUrl);
  const { client } = await patientClient(app, { baseUrl: gateway.baseUrl });
  await client.v1.skills.create.mutate({ name: 'SQL' });
  await client.v1.skills.create.mutate({ name: 'Go' }, { idempotencyKey: 'import 17' });
  await client.v1.skills.create.mutate({ name: 'C' });
  await client.v1.skills.list.query();
  const [first, second, third, read] = gateway.keys;
  expect([second, read]).toEqual(['import 17', undefined]);
  expect(first).not.toBe(third);
});

test('an idempotency key or tag that no header can contain throws a TypeError, and nothing is sent', async () => {
  await using app = await startApp();
  const { client, called } = await patientClient(app);
  for (const options of [{ idempotencyKey: 'schlüssel 漢' }, { ifMatch: '"1\n"' }]) {
    expect(await failureOf(client.v1.skills.create.mutate({ name: 'SQL' }, options))).toBeInstanceOf(
      TypeError,
    );
  }
  expect(called).toEqual([]);
});
