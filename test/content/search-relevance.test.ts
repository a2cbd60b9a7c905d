import { afterAll, expect, test } from 'vitest';
import type { SearchResults } from '../../shared/contract/features/search.ts';
import { startDemoSite } from '../support/demo-site.ts';
import { ownerClient } from '../support/rpc.ts';

const app = await startDemoSite();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ siteId: app.siteId, scopes: ['read'] });

/** Titles of the expected first result on the example site, by query. */
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

test('on the example site, each of 40 queries returns the expected record first', async () => {
  const first = async (q: string) => {
    const { body } = await app.get(`/api/v1/search?q=${encodeURIComponent(q)}`, { key });
    return [q, (body as SearchResults).data[0]?.title];
  };
  expect(Object.fromEntries(await Promise.all(Object.keys(firstResults).map(first)))).toEqual(firstResults);
});

/** Fables of Aesop in several languages, and beginnings of fables by La Fontaine. */
const fables = {
  en: {
    'The Fox and the Grapes':
      'A hungry fox saw grapes hanging high on a vine. He leapt and leapt, but could not reach them. “They are sour anyway,” he said, and walked off.',
    'The Tortoise and the Hare':
      'A hare laughed at a tortoise for being slow. They raced. Sure to win, the hare lay down to sleep, and the tortoise, who never stopped, came first. Slow and steady wins the race.',
    'The Ant and the Grasshopper':
      'All summer the grasshopper sang while the ants gathered grain. When winter came the grasshopper was hungry, and begged at their door.',
    'The Lion and the Mouse':
      'A lion let a mouse go. Later hunters caught the lion in a net, and the mouse gnawed through the ropes. No kindness is ever wasted.',
    'The Boy Who Cried Wolf':
      'A shepherd boy cried wolf when there was none, and the villagers came running. When the wolf did come, nobody believed the liar, and he lost his sheep.',
    'The Crow and the Pitcher':
      'A thirsty crow found a pitcher with little water in it. She dropped pebbles in, one by one, until the water rose and she could drink.',
    'The North Wind and the Sun':
      'The wind and the sun quarrelled over which was stronger. The wind blew, and a traveller held his cloak tighter; the sun shone, and he took it off.',
    'The Wolf in Sheep’s Clothing':
      'A wolf wrapped himself in a fleece and went into the fold with the flock. That night the shepherd, wanting supper, took the first sheep at hand, and it was the wolf.',
  },
  fr: {
    'Le Corbeau et le Renard':
      'Maître Corbeau, sur un arbre perché, tenait en son bec un fromage. Maître Renard, par l’odeur alléché, lui tint à peu près ce langage.',
    'La Cigale et la Fourmi':
      'La Cigale, ayant chanté tout l’été, se trouva fort dépourvue quand la bise fut venue.',
    'Le Chêne et le Roseau':
      'Le Chêne un jour dit au Roseau : vous avez bien sujet d’accuser la Nature ; un roitelet pour vous est un pesant fardeau.',
    'Le Lièvre et la Tortue': 'Rien ne sert de courir ; il faut partir à point.',
  },
};

const fableQuestions: Record<keyof typeof fables, Record<string, string>> = {
  en: {
    fox: 'The Fox and the Grapes',
    'sour grapes': 'The Fox and the Grapes',
    wolf: 'The Wolf in Sheep’s Clothing',
    'cried wolf': 'The Boy Who Cried Wolf',
    'wolf -fleece': 'The Boy Who Cried Wolf',
    '"slow and steady"': 'The Tortoise and the Hare',
    race: 'The Tortoise and the Hare',
    'hungry grasshoppers': 'The Ant and the Grasshopper',
    'mouse net': 'The Lion and the Mouse',
    pebble: 'The Crow and the Pitcher',
    'traveller cloak unicorn': 'The North Wind and the Sun',
    tortise: 'The Tortoise and the Hare',
  },
  fr: {
    chene: 'Le Chêne et le Roseau',
    chêne: 'Le Chêne et le Roseau',
    'lievre tortue': 'Le Lièvre et la Tortue',
    fromages: 'Le Corbeau et le Renard',
    'chante ete': 'La Cigale et la Fourmi',
    'MAITRE corbeau': 'Le Corbeau et le Renard',
    perchée: 'Le Corbeau et le Renard',
    roitélet: 'Le Chêne et le Roseau',
  },
};

test.for(['en', 'fr'] as const)(
  'queries for fables, with and without accents, return the expected fable first, in %s',
  async (language) => {
    const siteId = await app.seed.site();
    const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
    await studio.site.update.mutate({ language });
    for (const [title, content] of Object.entries(fables[language])) {
      app.clock.advance({ minutes: 1 });
      await studio.posts.create.mutate({ title, content });
    }
    const reader = await app.seed.key({ siteId, scopes: ['read'] });
    const first = async (q: string) => {
      const { body } = await app.get(`/api/v1/search?q=${encodeURIComponent(q)}`, { key: reader });
      return [q, (body as SearchResults).data[0]?.title];
    };
    const questions = fableQuestions[language];
    expect(Object.fromEntries(await Promise.all(Object.keys(questions).map(first)))).toEqual(questions);
  },
);
