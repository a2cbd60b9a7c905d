import { z } from 'zod';
import { boundedText } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { accessTiers } from '../resources/access-tier.ts';
import { titled } from '../titled.ts';

export const mailedPost = RecordId.meta({ description: 'Post to mail', examples: ['mb3k9x2a7f0q1zd'] });

/** Whom of the subscribers a mailing goes to; all when nothing is said. */
export const MailingAudience = z
  .strictObject({
    access_tiers: z
      .array(z.enum(accessTiers))
      .min(1)
      .max(accessTiers.length)
      .meta({
        description: 'Only members with one of these tiers; `registered` is any active member',
        examples: [['members']],
      })
      .optional(),
    sources: z
      .array(boundedText(200))
      .min(1)
      .max(100)
      .meta({ description: 'Only who subscribed at one of these places', examples: [['footer']] })
      .optional(),
  })
  .meta({
    description: 'Whom of the subscribers it goes to; all who are active when nothing is said',
    examples: [{}],
  });

export type MailingAudience = z.infer<typeof MailingAudience>;

const count = z.int().min(0);
const ofThem = count.meta({ description: 'How many they are', examples: [80] });

export const CountAudience = z.strictObject({ post_id: mailedPost, audience: MailingAudience.default({}) });

/** Who would get a post by mail at this moment. */
export const AudienceCount = titled('AudienceCount', {
  recipients: count.meta({ description: 'Subscribers who would get it', examples: [1_280] }),
  open: count.meta({ description: 'Of them, who may read the post', examples: [1_200] }),
  closed: count.meta({ description: 'Of them, who get excerpt and link', examples: [80] }),
  by_source: z
    .array(
      z.strictObject({
        source: z.string().meta({ description: 'Where they subscribed', examples: ['footer'] }),
        recipients: ofThem,
      }),
    )
    .describe('By where they subscribed, those with the most first'),
  by_tier: z
    .array(
      z.strictObject({
        tier: z.string().meta({ description: 'Tier', examples: ['members'] }),
        recipients: ofThem,
      }),
    )
    .describe('By tier that they hold as members, `registered` being all who are members'),
});
