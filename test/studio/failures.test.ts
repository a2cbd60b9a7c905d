import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createClient } from '../../client/sdk/index.ts';
import { messageFor, NotSent } from '../../client/studio/strings/errors.ts';
import { describeProblem } from '../../client/studio/strings/failures.ts';
import { strings } from '../../client/studio/strings/ui-strings.ts';

/** Returns the error of a call to a server with this request handler. */
async function failureOf(treat: Parameters<typeof createServer>[1], timeoutMs = 20_000): Promise<unknown> {
  const server = createServer({}, treat);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0, timeoutMs });
  const failure = await client.studio.site.get.query().catch((error: unknown) => error);
  server.closeAllConnections();
  server.close();
  return failure;
}

test('only a missing answer of the service is reported as being offline', async () => {
  const cutOff = await failureOf((request) => request.socket.destroy());
  const silent = await failureOf(() => undefined, 50);
  const gateway = await failureOf((_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'));
  expect([cutOff, silent, gateway].map(messageFor)).toEqual(
    Array.from({ length: 3 }, () => strings.errors.offline),
  );

  const data = { code: 'rate_limited', httpStatus: 429, path: 'studio.site.get' };
  const error = { json: { message: 'too many', code: -32_029, data } };
  const refused = await failureOf((_, response) => {
    response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify([{ error }]));
  });
  expect(messageFor(refused)).toBe(strings.errors.byCode.rate_limited);
  const later = (retryAfter: number) =>
    messageFor(Object.assign(new Error(), { data: { ...data, retryAfter } }));
  expect([1, 12, 100, 900, 86_400].map(later)).toEqual(
    ['in 1 second', 'in 12 seconds', 'in 2 minutes', 'in 15 minutes', 'in 24 hours'].map(
      strings.errors.limitedFor,
    ),
  );
  expect(messageFor(new NotSent('validation_failed'))).toBe(strings.errors.byCode.validation_failed);
  expect(messageFor(new TypeError('crypto.randomUUID is not a function'))).toBe(strings.errors.unknown);
  expect(messageFor('nothing')).toBe(strings.errors.unknown);
});

test.each([
  [undefined, undefined],
  ['is required', 'Fill in this field.'],
  ['must not be empty', 'Fill in this field.'],
  ['must be the id of a course', 'Choose from the list.'],
  ['must be an email address', 'Must be an email address'],
])('the contract’s field problem "%s" is shown as "%s"', (problem, shown) => {
  expect(describeProblem(problem)).toBe(shown);
});
