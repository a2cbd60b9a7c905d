import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { comparedText } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { accessTiers } from '../resources/access-tier.ts';

export const mailedPost = documented(RecordId, 'Post to mail', 'mb3k9x2a7f0q1zd');

/** Whom of the subscribers a mailing goes to; all when nothing is said. */
export const MailingAudience = documented(
  z.strictObject({
    access_tiers: documented(
      z.array(z.enum(accessTiers)).min(1).max(accessTiers.length),
      'Only members with one of these tiers; `registered` is any active member',
      ['members'],
    ).optional(),
    sources: documented(
      z.array(comparedText(200)).min(1).max(100),
      'Only who subscribed at one of these places',
      ['footer'],
    ).optional(),
  }),
  'Whom of the subscribers it goes to; all who are active when nothing is said',
  {},
);

export type MailingAudience = z.infer<typeof MailingAudience>;

const count = z.int().min(0);
const ofThem = documented(count, 'How many they are', 80);

export const CountAudience = z.strictObject({ post_id: mailedPost, audience: MailingAudience.default({}) });

/** Who would get a post by mail at this moment. */
export const AudienceCount = titled('AudienceCount', {
  recipients: documented(count, 'Subscribers who would get it', 1_280),
  open: documented(count, 'Of them, who may read the post', 1_200),
  closed: documented(count, 'Of them, who get excerpt and link', 80),
  by_source: z
    .array(
      z.strictObject({
        source: documented(z.string(), 'Where they subscribed', 'footer'),
        recipients: ofThem,
      }),
    )
    .describe('By where they subscribed, those with the most first'),
  by_tier: z
    .array(
      z.strictObject({
        tier: documented(z.string(), 'Tier', 'members'),
        recipients: ofThem,
      }),
    )
    .describe('By tier that they hold as members, `registered` being all who are members'),
});
