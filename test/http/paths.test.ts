import { afterAll, expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { specifiedEndpoints, specifiedForOwners } from '../spec.ts';
import { startApp } from '../support/app.ts';
import { callEndpoint, endpoints, keyEndpoints, ownerEndpoints } from '../support/endpoints.ts';
import { failure } from '../support/http.ts';

// Paths of the service, and unknown paths similar to them.

const app = await startApp({ webhooks: { lookup: async () => ['93.184.215.14'] } });
afterAll(() => app[Symbol.asyncDispose]());

const credentials = [
  { key: await app.seed.key({ scopes: scopeNames }) },
  { key: await app.seed.ownerToken() },
  {},
];
const paths = [...new Set(endpoints.map(({ path }) => path))];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

test('v1 and v2 have exactly the specified endpoints, each with its scope', () => {
  const declared = keyEndpoints.map(
    ({ title, scope }) => `${title.replace('/api/', '').replace(/{\w+}/, '{}')} ${scope}`,
  );
  expect(declared.toSorted()).toEqual(specifiedEndpoints.toSorted());
});

test('the admin surface has exactly the specified endpoints, apart from those of its session', () => {
  const declared = ownerEndpoints
    .map(({ title }) => title.replace('/api/admin/', '').replace(/{\w+}/g, '{}'))
    .filter((title) => !/ session(\/|$)/.test(title));
  expect(declared.toSorted()).toEqual(specifiedForOwners.toSorted());
});

test('a method that a path does not have is not_found, with and without a credential', async () => {
  const unknownPaths = paths.flatMap((path) =>
    methods.filter((method) => !has(method, path)).map((method) => [method, path] as const),
  );
  expect(await foundAmong(unknownPaths)).toEqual([]);
});

test.for<[string, (path: string) => string]>([
  ['a trailing slash', (path) => `${path}/`],
  ['two slashes', (path) => path.replace('/api/', '/api//')],
  ['another case', (path) => path.replace(/^\/api\/\w/, (start) => start.toUpperCase())],
  ['more segments', (path) => `${path}/a/b/c`],
])('%s makes another path, which is not_found with and without a credential', async ([, change]) => {
  const unknownPaths = paths.flatMap((path) => methods.map((method) => [method, change(path)] as const));
  expect(await foundAmong(unknownPaths)).toEqual([]);
});

test.for(['/api', '/api/', '/api/v1', '/api/v1/', '/api/v3/posts', '/api/admin', '/api/nothing', '/nothing'])(
  '%s is not an endpoint: not_found',
  async (path) => {
    expect(await foundAmong(methods.map((method) => [method, path] as const))).toEqual([]);
  },
);

test('HEAD has the status and headers of GET, without a body', async () => {
  const reads = endpoints.filter(({ method }) => method === 'GET');
  for (const credential of credentials) {
    const described = reads.map(async ({ path }) => {
      const whole = await app.get(path, credential);
      const { status, body, headers } = await app.call('HEAD', path, credential);
      const alike = ['content-type', 'content-length', 'www-authenticate'].every(
        (name) => headers.get(name) === whole.headers.get(name),
      );
      return { path, sameStatus: status === whole.status, alike, body };
    });
    expect(await Promise.all(described)).toEqual(
      reads.map(({ path }) => ({ path, sameStatus: true, alike: true, body: undefined })),
    );
  }
});

test('HEAD with a current tag is 304 like GET, without a length', async () => {
  const key = await app.seed.key();
  for (const path of ['/api/v1/profile', '/api/v1/posts', '/openapi.json']) {
    const { headers: given } = await app.call('GET', path, { key });
    const { status, headers } = await app.call('HEAD', path, {
      key,
      headers: { 'If-None-Match': given.get('etag') ?? '' },
    });

    expect({ path, status, length: headers.get('content-length') }).toEqual({
      path,
      status: 304,
      length: null,
    });
    expect(headers.get('etag')).toBe(given.get('etag'));
  }
});

test('every response has its own X-Request-Id', async () => {
  const token = await app.seed.ownerToken();
  const ids = endpoints.flatMap((endpoint) =>
    [{ key: token }, credentials[0], {}].map(async (credential) => {
      const { headers } = await callEndpoint(app, endpoint, credential);
      return headers.get('x-request-id');
    }),
  );
  const given = await Promise.all(ids);
  expect(new Set(given).size).toBe(given.length);
  for (const id of given) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

/** True if an endpoint has this path, with any value for its parameters. HEAD is part of GET. */
function has(method: string, path: string): boolean {
  const declared = method === 'HEAD' ? 'GET' : method;
  return endpoints.some((known) => known.method === declared && known.pattern.test(path));
}

/** Calls that do not get not_found, with each credential and without one. */
async function foundAmong(calls: (readonly [method: string, path: string])[]) {
  const answers = calls.flatMap(([method, path]) =>
    credentials.map(async (credential) => {
      const { status, body } = await app.call(method, path, credential);
      const expected = method === 'HEAD' ? { status: 404, body: undefined } : failure(404, 'not_found');
      const right = JSON.stringify({ status, body }) === JSON.stringify(expected);
      return right ? [] : [{ method, path, status, body }];
    }),
  );
  return (await Promise.all(answers)).flat();
}
