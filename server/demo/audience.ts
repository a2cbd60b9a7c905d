import type { z } from 'zod';
import type { AccessTier } from '../../shared/contract/access-tier.ts';
import type { RecordPurchase, SubmitTestimonial, Subscribe } from '../../shared/contract/audience.ts';

/** Who reads, buys and learns at the example site. Records are named by their titles. */

interface DemoMember {
  daysAgo: number;
  email: string;
  name: string;
  tiers: AccessTier[];
  blocked?: true;
}

export const members: DemoMember[] = [
  { daysAgo: 80, email: 'grace@example.com', name: 'Grace Lin', tiers: ['members'] },
  { daysAgo: 62, email: 'otto@example.com', name: 'Otto Brandt', tiers: [] },
  { daysAgo: 35, email: 'femi@example.com', name: 'Femi Adeyemi', tiers: ['members', 'paid'] },
  { daysAgo: 12, email: 'lucia@example.com', name: 'Lucía Ferrer', tiers: [] },
  { daysAgo: 6, email: 'first@spam.example.com', name: 'FIRST!!!', tiers: [], blocked: true },
];

export const subscribers: z.infer<typeof Subscribe>[] = [
  { email: 'grace@example.com', name: 'Grace Lin', source: 'footer' },
  { email: 'sam@example.com', name: 'Sam Whitby', source: 'post: the queue that forgot Tuesdays' },
  { email: 'noor@example.com', source: 'talk' },
];

export const testimonials: z.infer<typeof SubmitTestimonial>[] = [
  {
    name: 'Grace Lin',
    email: 'grace@example.com',
    company: 'Northwind Labs',
    role: 'CTO',
    content: 'The course paid for itself in a week. My team now refers to outages by bird.',
    rating: 5,
  },
  {
    name: 'Otto Brandt',
    email: 'otto@example.com',
    company: 'Brandt Logistik',
    role: 'Developer',
    content: 'I deleted eleven indexes and nothing happened, which is exactly what I was promised.',
    rating: 4,
  },
];

type Purchase = Omit<z.infer<typeof RecordPurchase>, 'content_id'> & { daysAgo: number; title: string };

export const purchases: Purchase[] = [
  {
    daysAgo: 40,
    buyer_email: 'otto@example.com',
    content_type: 'posts',
    title: 'Migrating 400 million rows before lunch',
    amount: 9.5,
    currency: 'EUR',
  },
  {
    daysAgo: 20,
    buyer_email: 'lucia@example.com',
    content_type: 'courses',
    title: 'PostgreSQL for people who ship',
    amount: 149.5,
    currency: 'EUR',
  },
];

export const enrollments: { daysAgo: number; email: string; course: string; completedDaysAgo?: number }[] = [
  { daysAgo: 38, email: 'grace@example.com', course: 'Webhooks, properly', completedDaysAgo: 15 },
  { daysAgo: 20, email: 'lucia@example.com', course: 'PostgreSQL for people who ship' },
];
