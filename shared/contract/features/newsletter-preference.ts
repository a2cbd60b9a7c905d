import { z } from 'zod';
import { documented } from '../documented.ts';

/** Whether a member gets the newsletter of a site. */
export const NewsletterPreference = z.strictObject({
  receives: documented(z.boolean(), 'Whether they get it', true),
  complained: documented(
    z.boolean(),
    'Whether they reported it as unwanted, after which nobody can subscribe them again',
    false,
  ),
});

export const Prefer = NewsletterPreference.pick({ receives: true });
