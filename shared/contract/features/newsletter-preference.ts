import { z } from 'zod';
import { documented } from '../documented.ts';

/** Whether a member gets the newsletter of a site. */
export const NewsletterPreference = z.strictObject({
  receives: documented(z.boolean(), 'True if the member receives the newsletter', true),
  complained: documented(
    z.boolean(),
    'True if the member reported the newsletter as spam; they cannot be subscribed again',
    false,
  ),
});

export const Prefer = NewsletterPreference.pick({ receives: true });
