import { resources } from '../../../shared/contract/resources/index.ts';
import { type Attack, addRecords, repeatText } from './attacker.ts';
import { addBuyer, buyerToken, courseId } from './full-site.ts';

const inputOf = (inputs: object[]) =>
  encodeURIComponent(JSON.stringify(Object.fromEntries(inputs.map((json, at) => [at, { json }]))));

const batch = (name: string, inputs: object[]) =>
  `/trpc/${inputs.map(() => name).join(',')}?batch=1&input=${inputOf(inputs)}`;

const toolCall = (name: string, input: object, id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

const assistant = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};

/** Attacks by answers that are large or expensive. */
export const reads: Attack[] = [
  {
    name: 'lists of 200 posts with all of their text',
    isFull: true,
    send: (site) => site.ask('/api/v2/posts?per_page=200'),
  },
  {
    name: 'RPC batches of 20 such lists',
    isFull: true,
    send: (site) =>
      site.ask(
        batch(
          'v2.posts.list',
          Array.from({ length: 20 }, (_, at) => ({ per_page: 200 - at })),
        ),
      ),
  },
  {
    name: 'many concurrent reads of such posts',
    isFull: true,
    atOnce: 40,
    send: (site, at) => site.ask(`/api/v1/posts/r-${1 + at}`),
  },
  {
    name: 'assistant tools that read many such posts in one request',
    isFull: true,
    async send(site, at) {
      const calls = Array.from({ length: 20 }, (_, n) => toolCall('get_post', { slug: `r-${n + 1}` }, n));
      await site.ask('/mcp', { body: calls, headers: assistant });
      await site.ask('/mcp', { body: calls[at], headers: assistant });
      await site.ask('/mcp', { body: toolCall('list_posts', { limit: 100 }, 1), headers: assistant });
    },
  },
  {
    name: "the studio's lists",
    isFull: true,
    send: (site) =>
      site.ask(`/trpc/studio.posts.list?input=${encodeURIComponent('{"json":{"per_page":200}}')}`, {
        as: 'owner',
      }),
  },
  {
    name: "a course's curriculum",
    isFull: true,
    async send(site) {
      const input = encodeURIComponent(JSON.stringify({ json: { course_id: courseId } }));
      await site.ask(`/trpc/studio.curriculum.get?input=${input}`, { as: 'owner' });
      await site.ask(`/api/v2/courses/${courseId}/curriculum`);
    },
  },
  ...(
    [
      ['the home page', '/'],
      ['/cv', '/cv'],
      ['/talks', '/talks'],
      ['/projects and /courses', '/projects', '/courses'],
      ['feeds', '/feed.xml', '/feed.json'],
      ['sitemap and llms.txt', '/sitemap.xml', '/llms.txt'],
      ['old posts', '/posts?page=10', '/tags/a'],
    ] as const
  ).map(
    ([name, ...paths]): Attack => ({
      name: `${name} of a site with the maximum content`,
      isFull: true,
      async send(site) {
        for (const path of paths) await site.ask(path, { as: 'visitor' });
      },
    }),
  ),
  {
    name: 'unlimited lists of talks and jobs',
    isFull: true,
    async send(site) {
      await site.ask('/api/v1/talks');
      await site.ask('/api/v1/experience');
    },
  },
  {
    name: 'complete lists of more records than fit into memory',
    isSlow: true,
    prepare: (site) => addRecords(site, resources.skills, { count: 200_000, name: 'A skill' }),
    async send(site) {
      await site.ask('/api/v1/skills');
      await site.ask('/trpc/v1.skills.list');
    },
  },
  {
    name: 'a reader with more purchases than fit into memory',
    isSlow: true,
    prepare: (site) => addBuyer(site, 200_000),
    send: (site) => site.ask('/api/v1/posts', { headers: { 'x-member-token': buyerToken } }),
  },
  {
    name: 'the sitemap of a site with more posts than fit into one file',
    isSlow: true,
    prepare: (site) =>
      addRecords(site, resources.posts, {
        ...{ count: 50_000, title: 'A post', is_draft: false, published_at: '2025-01-01T00:00:00Z' },
      }),
    send: (site) => site.ask('/sitemap.xml', { as: 'visitor' }),
  },
  {
    name: 'search for words',
    isFull: true,
    atOnce: 16,
    async send(site, at) {
      const words = encodeURIComponent(repeatText(`long text ${at} "one or" -two `, 190));
      await site.ask(`/api/v1/posts?q=${words}&limit=100&fields=title`);
      await site.ask(`/posts?q=${words}`, { as: 'visitor' });
    },
  },
  {
    name: 'filters',
    isFull: true,
    atOnce: 16,
    send: (site, at) =>
      site.ask(
        `/api/v2/posts?tags=a&featured=false&created_after=2025-01-0${1 + (at % 9)}T00:00:00Z&sort=title&fields=title`,
      ),
  },
  {
    name: 'an export',
    isFull: true,
    atOnce: 1,
    send: (site) => site.download(),
  },
];
