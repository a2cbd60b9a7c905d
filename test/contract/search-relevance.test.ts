import { afterAll, expect, test } from 'vitest';
import type { SearchResults } from '../../shared/contract/search.ts';
import { startDemoSite } from '../support/demo-site.ts';

const app = await startDemoSite();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ siteId: app.siteId, scopes: ['read'] });

/** What somebody types, and what they would look for with it on the example site. */
const firstResults: Record<string, string> = {
  'type-safe apis': 'Type-safe APIs without a build step',
  apis: 'Type-safe APIs without a build step',
  api: 'Your first API',
  'build step': 'Type-safe APIs without a build step',
  'config files': 'Type-safe APIs without a build step',
  'index promise': 'An index is a promise about the future',
  indexes: 'An index is a promise about the future',
  '"index is a promise"': 'An index is a promise about the future',
  'promise -index': 'Retry like you mean it',
  'query plan': 'Reading a query plan over coffee',
  '"query plan"': 'Reading a query plan over coffee',
  'reading query plans': 'Reading a query plan over coffee',
  coffee: 'Reading a query plan over coffee',
  retry: 'Retry like you mean it',
  retries: 'Retry like you mean it',
  retrying: 'Retry like you mean it',
  annoying: 'Retry like you mean it',
  lantern: 'Lantern',
  lantrn: 'Lantern',
  'feed reader': 'Lantern',
  offline: 'Lantern',
  goose: 'The goose and other locks',
  'the goose and other locks': 'The goose and other locks',
  earplugs: 'The goose and other locks',
  lock: 'A field guide to locks',
  'lock modes': 'A field guide to locks',
  goosewatch: 'Goosewatch',
  honk: 'Goosewatch',
  ledgerline: 'Ledgerline',
  ledgerlin: 'Ledgerline',
  fastify: 'Ledgerline',
  postgresql: 'PostgreSQL for people who ship',
  'postgresql course': 'PostgreSQL for people who ship',
  'people who ship': 'PostgreSQL for people who ship',
  'first api': 'Your first API',
  imprint: 'Imprint',
  now: 'Now',
  boat: 'What I carry on the boat',
  letters: 'Letters from the early birds',
  migration: 'Migrating 400 million rows before lunch',
  queue: 'The queue that forgot Tuesdays',
  queues: 'Nothing lost: queues you can trust',
};

test('on the example site, what is looked for with each of 40 questions comes first', async () => {
  const first = async (q: string) => {
    const { body } = await app.get(`/api/v1/search?q=${encodeURIComponent(q)}`, { key });
    return [q, (body as SearchResults).data[0]?.title];
  };
  expect(Object.fromEntries(await Promise.all(Object.keys(firstResults).map(first)))).toEqual(firstResults);
});
