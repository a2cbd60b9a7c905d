import { type AccessTier, accessTiers, type GateReason } from '../contract/resources/access-tier.ts';

/** Who is reading: nothing known, or what a member's session, tiers and purchases open. */
export interface Reader {
  signedIn: boolean;
  tiers: readonly string[];
  /** Posts and courses that this reader bought, as `posts/{id}` and `courses/{id}`. */
  purchases: readonly string[];
  /**
   * E-mail address of who bought too much for `purchases`: it is looked for as records are read, and what is made for this
   * reader is kept for nobody.
   */
  buyer?: string | undefined;
}

/** Of whom nothing is known: pages and the API share what they keep for all of them. */
export const anyone: Reader = { signedIn: false, tiers: [], purchases: [] };

/** Collections whose records have access tiers. */
export type GatedCollection = 'posts' | 'courses';

interface GatedRecord {
  id: string;
  access_tier: string;
}

const purchaseOf = (collection: GatedCollection, id: string) => `${collection}/${id}`;

/**
 * Returns why `reader` may not see the gated part of a record, or null if they may (docs/contract.md#the-gate). A purchase
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

/** Why a tier did not open; `free` always does. */
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

/** Reader of a record to whom only this tier is open; for `paid`, one who bought the record. */
export const readerOfTier = (tier: AccessTier, { collection, id }: { collection: string; id: string }) =>
  readers[tier](`${collection}/${id}`);
