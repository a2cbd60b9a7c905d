import type { course } from '../../shared/contract/resources/course.ts';
import type { Dated } from './dated.ts';

const instructor = {
  instructor_name: 'Ada Marsh',
  instructor_bio:
    'Ada has run databases for fifteen years and has broken most of them at least once, always with a plan.',
};

export const courses: Dated<typeof course>[] = [
  {
    ...instructor,
    daysAgo: 45,
    title: 'PostgreSQL for people who ship',
    description:
      'Indexes, locks and plans, taught from real incidents. Each module starts with a pager going off and ends with a table that no longer does that.',
    access_tier: 'paid',
    price: 149.5,
    sequential_access: true,
    difficulty: 'intermediate',
    estimated_hours: 11.5,
    tags: ['postgresql', 'performance'],
    learning_outcomes: [
      'Read a query plan and know which number to doubt',
      'Change a large table while people use it',
      'Choose indexes by the questions that are really asked',
    ],
    sort_order: 1,
  },
  {
    ...instructor,
    daysAgo: 90,
    title: 'Webhooks, properly',
    description: 'Sign, send, retry, verify. A small system built twice: once to work, once to be trusted.',
    access_tier: 'members',
    sequential_access: true,
    difficulty: 'advanced',
    estimated_hours: 6,
    tags: ['webhooks', 'security', 'reliability'],
    learning_outcomes: ['Lose no event when a process dies', 'Verify a signature over raw bytes'],
    sort_order: 2,
  },
  {
    ...instructor,
    daysAgo: 150,
    title: 'Your first API',
    description: 'One resource, five verbs, no framework magic. Free, because everyone should have one.',
    access_tier: 'free',
    price: 0,
    difficulty: 'beginner',
    estimated_hours: 3.25,
    tags: ['api', 'typescript'],
    learning_outcomes: ['Say what a request may hold', 'Answer an error so that it helps'],
    sort_order: 3,
  },
  {
    ...instructor,
    daysAgo: 8,
    title: 'Schema design with cake',
    description: 'A course made of office hours. Still being recorded; the cake keeps going missing.',
    access_tier: 'paid',
    price: 89,
    difficulty: 'beginner',
    is_draft: true,
    tags: ['schema-design'],
    sort_order: 4,
  },
];
