import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { comparedText } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { accessTiers } from '../resources/access-tier.ts';

export const mailedPost = documented(RecordId, 'ID of the post to mail', 'mb3k9x2a7f0q1zd');

/** Filter for the subscribers who receive a mailing; all if empty. */
export const MailingAudience = documented(
  z.strictObject({
    access_tiers: documented(
      z.array(z.enum(accessTiers)).min(1).max(accessTiers.length),
      'Only members with one of these access tiers; `registered` matches any active member',
      ['members'],
    ).optional(),
    sources: documented(
      z.array(comparedText(200)).min(1).max(100),
      'Only subscribers with one of these values of `source`',
      ['footer'],
    ).optional(),
  }),
  'Audience of the mailing; all active subscribers if empty',
  {},
);

export type MailingAudience = z.infer<typeof MailingAudience>;

const count = z.int().min(0);
const ofThem = documented(count, 'Number of recipients', 80);

export const CountAudience = z.strictObject({ post_id: mailedPost, audience: MailingAudience.default({}) });

/** Current audience of a mailing: the subscribers who would receive it now. */
export const AudienceCount = titled('AudienceCount', {
  recipients: documented(count, 'Number of subscribers who would receive the email', 1_280),
  open: documented(count, 'Number of recipients who may read the full post', 1_200),
  closed: documented(count, 'Number of recipients who receive only the excerpt and a link', 80),
  by_source: z
    .array(
      z.strictObject({
        source: documented(z.string(), 'Source of the subscription', 'footer'),
        recipients: ofThem,
      }),
    )
    .describe('Recipients by source, largest group first'),
  by_tier: z
    .array(
      z.strictObject({
        tier: documented(z.string(), 'Access tier', 'members'),
        recipients: ofThem,
      }),
    )
    .describe('Recipients by access tier; `registered` counts all members'),
});
