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
  'a buyer of the record': { ...member, purchases: [id] },
  'a buyer of another record': { ...member, purchases: ['a'.repeat(15)] },
};

const login = 'registered_login_required';
const purchase = 'purchase_required';
const subscription = 'subscription_required';
const unknown = 'unknown_access_tier';

/**
 * Reasons by which each tier withholds the body from the readers above, in their order; null if it returns the body.
 */
const table: Record<string, (string | null)[]> = {
  free: [null, null, null, null, null, null, null],
  registered: [login, null, null, null, null, null, null],
  paid: [purchase, purchase, purchase, null, null, null, purchase],
  members: [subscription, subscription, null, subscription, null, subscription, subscription],
  gold: Array.from({ length: 7 }, () => unknown),
  '': Array.from({ length: 7 }, () => unknown),
  Free: Array.from({ length: 7 }, () => unknown),
  ' free': Array.from({ length: 7 }, () => unknown),
  constructor: Array.from({ length: 7 }, () => unknown),
};

const cases = Object.entries(table).flatMap(([access_tier, reasons]) =>
  Object.entries(readers).map(([who, reader], index) => ({
    access_tier,
    who,
    reader,
    reason: reasons[index] ?? null,
  })),
);

test.for(cases)('tier "$access_tier" returns $reason to $who', ({ access_tier, reader, reason }) => {
  expect(gate({ id, access_tier }, reader)).toBe(reason);
});
