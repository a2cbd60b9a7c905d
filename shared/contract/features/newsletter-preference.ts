import { z } from 'zod';

/** Whether a member gets the newsletter of a site. */
export const NewsletterPreference = z.strictObject({
  receives: z.boolean().meta({ description: 'Whether they get it', examples: [true] }),
  complained: z.boolean().meta({
    description: 'Whether they reported it as unwanted, after which nobody can subscribe them again',
    examples: [false],
  }),
});

export const Prefer = NewsletterPreference.pick({ receives: true });
