import type { z } from 'zod';
import type { Offer } from '../../../shared/contract/features/offers.ts';
import type { membership } from '../../../shared/contract/kinds/membership.ts';

/** Offers and memberships. */
export const selling = {
  offers: {
    title: 'Offers',
    lead: 'Prices of posts, courses and memberships. Buy buttons appear on the pages that an offer opens.',
    none: 'No offers yet',
    noneLead: 'Sell a paid post or course once, or a membership by month or year.',
    add: 'Add offer',
    edit: 'Edit offer',
    added: (title: string) => `Offer ${title} added`,
    name: { label: 'Title', description: 'Buyers see it beside the price.' },
    interval: 'Type',
    intervals: {
      once: 'Single purchase',
      month: 'Monthly membership',
      year: 'Yearly membership',
    } satisfies Record<Offer['interval'], string>,
    each: { once: '', month: ' a month', year: ' a year' } satisfies Record<Offer['interval'], string>,
    kind: 'Sells',
    kinds: { posts: 'A post', courses: 'A course' } satisfies Record<
      NonNullable<Offer['collection']>,
      string
    >,
    record: 'Item',
    amount: 'Price',
    currency: 'Currency',
    tiers: { label: 'Opens', description: 'Content that members may read' },
    tierNames: { paid: 'All paid content', members: 'Content for members' },
    trial: { label: 'Free trial in days', description: 'If empty, members pay from the first day' },
    sortOrder: { label: 'Position', description: 'Lower numbers come first' },
    active: 'For sale',
    states: { on: 'For sale', off: 'Not for sale' },
  },
  memberships: {
    title: 'Memberships',
    lead: 'Recurring payments, and how long each opens its content.',
    none: 'No memberships yet',
    noneLead: 'Add an offer for a membership. Everyone who joins appears here.',
    search: 'Find by email',
    member: 'Member',
    price: 'Price',
    openUntil: 'Paid until',
    joined: 'Joined',
    test: 'Test',
    edit: 'Correct the address',
    states: {
      trialing: 'In trial',
      active: 'Active',
      past_due: 'Payment failed',
      ended: 'Ended',
    } satisfies Record<z.infer<typeof membership.read>['state'], string>,
  },
  sellingSettings: {
    title: 'Selling',
    note: { label: 'Note beside buy buttons', description: 'For example “incl. VAT”' },
    terms: { label: 'Terms of sale', description: 'URL of a page, linked beside buy buttons' },
  },
} as const;
