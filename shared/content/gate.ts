import { type AccessTier, accessTiers, type GateReason } from '../contract/resources/access-tier.ts';

/** Who is reading: nothing known, or what a member's session, tiers and purchases open. */
export interface Reader {
  signedIn: boolean;
  tiers: readonly string[];
  /** Ids of records this reader bought. */
  purchases: readonly string[];
  /**
   * E-mail address of who bought too much for `purchases`: it is looked for as records are read, and what is made for this
   * reader is kept for nobody.
   */
  buyer?: string | undefined;
}

/** Of whom nothing is known: pages and the API share what they keep for all of them. */
export const anyone: Reader = { signedIn: false, tiers: [], purchases: [] };

/** Why `reader` may not see the body of a record in `accessTier`; null when they may (docs/contract.md#the-gate). */
export function gate(record: { id: string; access_tier: string }, reader: Reader): GateReason | null {
  const tier = accessTiers.find((item) => item === record.access_tier);
  if (!tier) return 'unknown_access_tier';
  return opens[tier](record.id, reader) ? null : reasons[tier];
}

const opens: Record<AccessTier, (id: string, reader: Reader) => boolean> = {
  free: () => true,
  registered: (_id, reader) => reader.signedIn,
  paid: (id, reader) => reader.purchases.includes(id) || reader.tiers.includes('paid'),
  members: (_id, reader) => reader.tiers.includes('members'),
};

/** Why a tier did not open; `free` always does. */
const reasons: Record<AccessTier, GateReason> = {
  free: 'unknown_access_tier',
  registered: 'registered_login_required',
  paid: 'purchase_required',
  members: 'subscription_required',
};

const signedIn: Reader = { ...anyone, signedIn: true };

/** Who reads a record of this id, by the tier that opens to them. */
const readers: Record<AccessTier, (id: string) => Reader> = {
  free: () => anyone,
  registered: () => signedIn,
  paid: (id) => ({ ...signedIn, purchases: [id] }),
  members: () => ({ ...signedIn, tiers: ['members'] }),
};

/** Who reads a record if nothing but this tier is open to them. */
export const readerOfTier = (tier: AccessTier, id: string): Reader => readers[tier](id);
