import { type AccessTier, accessTiers, type GateReason } from '../contract/resources/access-tier.ts';

/** Reader of content: an unknown visitor, or a member with tiers and purchases. */
export interface Reader {
  signedIn: boolean;
  tiers: readonly string[];
  /** Posts and courses that this reader bought, as `posts/{id}` and `courses/{id}`. */
  purchases: readonly string[];
  /**
   * Email address of a reader with too many purchases to list in `purchases`. They are queried for the records that
   * are read, and pages for this reader are not cached.
   */
  buyer?: string | undefined;
}

/** Reader of whom nothing is known. Pages and API share one cached answer for all of them. */
export const anyone: Reader = { signedIn: false, tiers: [], purchases: [] };

/** Collections whose records have access tiers. */
export type GatedCollection = 'posts' | 'courses';

interface GatedRecord {
  id: string;
  access_tier: string;
}

const purchaseOf = (collection: GatedCollection, id: string) => `${collection}/${id}`;

/**
 * Returns why `reader` may not see the gated part of a record, or null if they may (docs/reference/access.md). A purchase
 * opens its record in every tier.
 */
export function gate(collection: GatedCollection, record: GatedRecord, reader: Reader): GateReason | null {
  const tier = accessTiers.find((item) => item === record.access_tier);
  if (!tier) return 'unknown_access_tier';
  return opens[tier](reader) || reader.purchases.includes(purchaseOf(collection, record.id))
    ? null
    : reasons[tier];
}

const opens: Record<AccessTier, (reader: Reader) => boolean> = {
  free: () => true,
  registered: ({ signedIn }) => signedIn,
  paid: ({ tiers }) => tiers.includes('paid'),
  members: ({ tiers }) => tiers.includes('members'),
};

/** Reason that is reported if a reader has no access to content of this tier. Everyone has access to `free`. */
const reasons: Record<AccessTier, GateReason> = {
  free: 'unknown_access_tier',
  registered: 'registered_login_required',
  paid: 'purchase_required',
  members: 'subscription_required',
};

const signedIn: Reader = { ...anyone, signedIn: true };

const readers: Record<AccessTier, (purchase: string) => Reader> = {
  free: () => anyone,
  registered: () => signedIn,
  paid: (purchase) => ({ ...signedIn, purchases: [purchase] }),
  members: () => ({ ...signedIn, tiers: ['members'] }),
};

/** Returns a reader to whom only this access tier is open; for `paid`, one who bought the record. */
export const readerOfTier = (tier: AccessTier, { collection, id }: { collection: string; id: string }) =>
  readers[tier](`${collection}/${id}`);
