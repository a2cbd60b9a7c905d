import type { project } from '../../shared/contract/resources/project.ts';
import type { Dated } from './dated.ts';

export const projects: Dated<typeof project>[] = [
  {
    daysAgo: 20,
    title: 'Lantern',
    description:
      'A feed reader that works offline, made for a boat with two bars of signal and a lot of opinions. It fetches when it can, reads when it can’t, and never once says "something went wrong".',
    url: 'https://lantern.example.com',
    repo_url: 'https://git.example.com/ada/lantern',
    status: 'active',
    tech_stack: ['TypeScript', 'SQLite', 'Service workers'],
    tags: ['open-source', 'offline'],
  },
  {
    daysAgo: 110,
    title: 'Goosewatch',
    description:
      'Watches a PostgreSQL for locks that hold up a queue, and says who brought the goose. One page, no dashboard, a honk.',
    repo_url: 'https://git.example.com/ada/goosewatch',
    status: 'active',
    tech_stack: ['Node.js', 'PostgreSQL'],
    tags: ['open-source', 'postgresql'],
  },
  {
    daysAgo: 230,
    title: 'Ledgerline',
    description:
      'Double-entry bookkeeping for people who sell three things. Finished, in the sense that it does what it should and I have stopped touching it.',
    url: 'https://ledgerline.example.com',
    status: 'completed',
    tech_stack: ['TypeScript', 'PostgreSQL', 'Fastify'],
    tags: ['business'],
  },
  {
    daysAgo: 410,
    title: 'Standup Bingo',
    description: 'It was funny for a week. It stays here as a warning about weeks.',
    status: 'archived',
    tech_stack: ['JavaScript'],
    tags: ['fun'],
  },
  {
    daysAgo: 6,
    title: 'Tidebook',
    description: 'Tide tables as an API. Planned, as soon as I find out who owns the sea.',
    status: 'planned',
    is_draft: true,
    tech_stack: ['TypeScript'],
    tags: ['sailing', 'api'],
  },
];
