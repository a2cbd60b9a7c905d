import type { talk } from '../../shared/contract/resources/talk.ts';
import type { Dated } from './dated.ts';

export const talks: Dated<typeof talk>[] = [
  {
    daysAgo: 60,
    title: 'Nothing lost: queues you can trust',
    event: 'Backend Days',
    event_url: 'https://backend-days.example.com',
    date: '2026-05-14',
    location: 'Lisbon',
    description: 'How leases and fences keep deliveries exact, with a live kill -9 from the audience.',
    slides_url: 'https://slides.example.com/nothing-lost',
    video_url: 'https://video.example.com/nothing-lost',
    sort_order: 1,
  },
  {
    daysAgo: 210,
    title: 'The goose and other locks',
    event: 'PG Riverside',
    event_url: 'https://pg-riverside.example.com',
    date: '2025-10',
    location: 'Porto',
    description: 'Eight lock modes in forty minutes. Earplugs were provided for the last one.',
    slides_url: 'https://slides.example.com/goose',
    sort_order: 2,
  },
  {
    daysAgo: 480,
    title: 'Boring on purpose',
    event: 'Quiet Systems',
    date: '2025',
    location: 'Online',
    description: 'A case for the second-newest version of everything.',
    video_url: 'https://video.example.com/boring',
    sort_order: 3,
  },
  {
    daysAgo: 4,
    title: 'What the frying pan taught me about failover',
    event: 'To be announced',
    description: 'Proposal, not yet accepted anywhere with a stove.',
    is_draft: true,
    sort_order: 4,
  },
];
