import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { createVisitor } from '../support/visitor.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  const key = await app.seed.key({ scopes: ['write'] });
  const posts = [
    { title: 'A post', slug: 'a-post', tags: ['typescript'] },
    { title: 'Another', slug: 'another', content: 'Smile 😀' },
  ];
  for (const body of posts) expect((await app.post('/api/v1/posts', { key, body })).status).toBe(201);
});
afterAll(() => app[Symbol.asyncDispose]());

const long = 'x'.repeat(201);
const odd = [
  '%00',
  'a%00b',
  long,
  'x'.repeat(4_000),
  '%F0%9F%98%80',
  '%20',
  '%0A',
  '..%2f',
  '%25',
  "'",
  '%22',
];
const positions = ['/tags/', '/posts/', '/projects/', '/courses/', '/media/', '/'];
const addresses = [
  ...positions.flatMap((position) => odd.map((part) => position + part)),
  '/tags/',
  '/posts/',
  '//',
];

test.for(addresses.map((address) => [address.slice(0, 40), address] as const))(
  'an unusual path is not found: %s',
  async ([, address]) => {
    const visit = createVisitor(app.baseUrl);
    const { status, headers } = await visit(address);
    if (status === 301) expect((await visit(String(headers.location))).status).not.toBe(400);
    else expect(status).toBe(404);
  },
);

const emoji = encodeURIComponent('😀');
const queries = [
  'q=%00',
  'q=a%00b',
  `q=${'x'.repeat(199)}${emoji}`,
  `q=${long}`,
  'q=',
  'page=%00',
  'page=-1',
  'page=x',
];

test.for(queries)('an unusual query does not break a page: %s', async (query) => {
  const { status } = await createVisitor(app.baseUrl)(`/posts?${query}`);
  expect(status).toBe(200);
});
