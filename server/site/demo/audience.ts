import type { z } from 'zod';
import type { SubmitTestimonial, Subscribe } from '../../../shared/contract/audience.ts';
import type { UpdateMember } from '../../../shared/contract/member.ts';

interface DemoMember extends Omit<z.infer<typeof UpdateMember>, 'id'> {
  daysAgo: number;
  email: string;
  name: string;
}

/** All kinds: with and without tiers, and one who is blocked. */
export const members: DemoMember[] = [
  { daysAgo: 120, email: 'grace@example.com', name: 'Grace Lin', access_tiers: ['members'] },
  { daysAgo: 96, email: 'tomas@example.com', name: 'Tomás Rocha', access_tiers: ['paid'] },
  { daysAgo: 71, email: 'ines@example.com', name: 'Inês Duarte' },
  { daysAgo: 44, email: 'bob@example.com', name: 'Bob, the server', access_tiers: ['paid', 'members'] },
  { daysAgo: 30, email: 'priya@example.com', name: 'Priya Nair' },
  { daysAgo: 12, email: 'first@spam.example.com', name: 'First!!!', status: 'blocked' },
  { daysAgo: 3, email: 'jonas@example.com', name: '' },
];

interface DemoPurchase {
  daysAgo: number;
  buyer_email: string;
  content_type: 'posts' | 'courses';
  /** Title of what was bought. */
  title: string;
  amount: number;
}

/** In euros. The last buyer is no member yet: the purchase will be theirs when they are. */
export const purchases: DemoPurchase[] = [
  {
    daysAgo: 40,
    buyer_email: 'ines@example.com',
    content_type: 'courses',
    title: 'PostgreSQL for people who ship',
    amount: 149.5,
  },
  {
    daysAgo: 28,
    buyer_email: 'priya@example.com',
    content_type: 'posts',
    title: 'Migrating 400 million rows before lunch',
    amount: 4.9,
  },
  {
    daysAgo: 2,
    buyer_email: 'early.bird@example.com',
    content_type: 'posts',
    title: 'The pricing page teardown',
    amount: 4.9,
  },
];

interface DemoEnrollment {
  daysAgo: number;
  buyer_email: string;
  /** Title of the course. */
  course: string;
  finishedDaysAgo?: number;
}

export const enrollments: DemoEnrollment[] = [
  {
    daysAgo: 40,
    buyer_email: 'ines@example.com',
    course: 'PostgreSQL for people who ship',
    finishedDaysAgo: 9,
  },
  { daysAgo: 35, buyer_email: 'grace@example.com', course: 'Webhooks, properly' },
  { daysAgo: 21, buyer_email: 'jonas@example.com', course: 'Your first API', finishedDaysAgo: 14 },
];

export const testimonials: (z.infer<typeof SubmitTestimonial> & { daysAgo: number })[] = [
  {
    daysAgo: 8,
    name: 'Inês Duarte',
    email: 'ines@example.com',
    company: 'Tile & Tide',
    role: 'Back-end engineer',
    content: 'I read a query plan aloud at dinner. My family has asked me to stop. Worth every cent.',
    rating: 5,
  },
  {
    daysAgo: 19,
    name: 'Grace Lin',
    email: 'grace@example.com',
    company: 'Northwind Labs',
    role: 'CTO',
    content: 'The course paid for itself in a week, in sleep.',
    rating: 5,
  },
  {
    daysAgo: 52,
    name: 'Bob',
    email: 'bob@example.com',
    content: 'I was retired in chapter three. Four stars.',
    rating: 4,
  },
];

export const subscribers: (z.infer<typeof Subscribe> & { daysAgo: number })[] = [
  { daysAgo: 88, email: 'grace@example.com', name: 'Grace Lin', source: 'footer' },
  {
    daysAgo: 61,
    email: 'priya@example.com',
    name: 'Priya Nair',
    source: 'post:the-queue-that-forgot-tuesdays',
  },
  { daysAgo: 33, email: 'harbour-master@example.com', source: 'talk:nothing-lost' },
  { daysAgo: 14, email: 'jonas@example.com', source: 'footer' },
  { daysAgo: 1, email: 'cake@example.com', name: 'Somebody with cake', source: 'about' },
];
