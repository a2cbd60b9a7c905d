import { z } from 'zod';

/** Access tiers of content. Content with any other stored value is closed to all readers. */
export const accessTiers = ['free', 'registered', 'paid', 'members'] as const;

export type AccessTier = (typeof accessTiers)[number];

/** Labels of the tiers in the studio. */
export const accessTierLabels: Readonly<Record<AccessTier, string>> = {
  free: 'Everyone',
  registered: 'Signed-in readers',
  paid: 'Buyers',
  members: 'Members',
};

/** Reason why a reader has no access to the body of a post, or to a course. */
export const GateReason = z.enum([
  'registered_login_required',
  'purchase_required',
  'subscription_required',
  'unknown_access_tier',
]);

export type GateReason = z.infer<typeof GateReason>;
