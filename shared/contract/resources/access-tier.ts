import { z } from 'zod';

/** Tiers that a post can be opened by; any other stored value is closed to all. */
export const accessTiers = ['free', 'registered', 'paid', 'members'] as const;

export type AccessTier = (typeof accessTiers)[number];

/** What their owner calls them. */
export const accessTierLabels: Readonly<Record<AccessTier, string>> = {
  free: 'Everyone',
  registered: 'Signed-in readers',
  paid: 'Buyers',
  members: 'Members',
};

/** Why a post's body was withheld. */
export const GateReason = z.enum([
  'registered_login_required',
  'purchase_required',
  'subscription_required',
  'unknown_access_tier',
]);

export type GateReason = z.infer<typeof GateReason>;
