import { expect, test } from 'vitest';
import { anyone, gate, type Reader } from './gate.ts';

const id = 'mb3k9x2a7f0q1zd';
const member: Reader = { signedIn: true, tiers: [], purchases: [] };
const readers: Record<string, Reader> = {
  'a visitor without an account': anyone,
  'a member': member,
  'a member in tier members': { ...member, tiers: ['members'] },
  'a member in tier paid': { ...member, tiers: ['paid'] },
  'a member in all tiers': { ...member, tiers: ['free', 'registered', 'paid', 'members', 'gold', ''] },
  'a buyer of the record': { ...member, purchases: [`posts/${id}`] },
  'a buyer of the record without an account': { ...anyone, purchases: [`posts/${id}`] },
  'a buyer of a course with the same id': { ...member, purchases: [`courses/${id}`] },
  'a buyer of another record': { ...member, purchases: [`posts/${'a'.repeat(15)}`] },
};

const login = 'registered_login_required';
const purchase = 'purchase_required';
const subscription = 'subscription_required';
const unknown = 'unknown_access_tier';

/**
 * Reasons by which each tier withholds the body from the readers above, in their order; null if it returns the body.
 */
const table: Record<string, (string | null)[]> = {
  free: Array.from({ length: 9 }, () => null),
  registered: [login, null, null, null, null, null, null, null, null],
  paid: [purchase, purchase, purchase, null, null, null, null, purchase, purchase],
  members: [subscription, subscription, null, subscription, null, null, null, subscription, subscription],
  gold: Array.from({ length: 9 }, () => unknown),
  '': Array.from({ length: 9 }, () => unknown),
  Free: Array.from({ length: 9 }, () => unknown),
  ' free': Array.from({ length: 9 }, () => unknown),
  constructor: Array.from({ length: 9 }, () => unknown),
};

const cases = Object.entries(table).flatMap(([access_tier, reasons]) =>
  Object.entries(readers).map(([who, reader], index) => ({
    access_tier,
    who,
    reader,
    reason: reasons[index] ?? null,
  })),
);

test.for(cases)(
  'the gate of a post in tier "$access_tier" returns $reason to $who',
  ({ access_tier, reader, reason }) => {
    expect(gate('posts', { id, access_tier }, reader)).toBe(reason);
  },
);
