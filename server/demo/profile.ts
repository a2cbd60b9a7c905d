import type { z } from 'zod';
import type { UpdateProfile } from '../../shared/contract/profile.ts';

export const profile: z.infer<typeof UpdateProfile> = {
  name: 'Ada Marsh',
  headline: 'I build back ends that are boring on purpose',
  summary:
    'Engineer, teacher, occasional sailor. I spent fifteen years keeping other people’s databases awake so that other people could sleep, and now I write about it. This site holds my notes, my courses, and every mistake I was allowed to publish.',
  location: 'Porto, Portugal',
  website: 'https://ada.example.com',
  github: 'https://git.example.com/ada',
  linkedin: 'https://people.example.com/ada',
  twitter: 'https://social.example.com/ada',
  email: 'ada@example.com',
  cta_text: 'Book a schema review',
  cta_url: 'https://ada.example.com/work',
  cta_enabled: true,
};
