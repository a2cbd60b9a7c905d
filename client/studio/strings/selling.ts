import type { z } from 'zod';
import type { membership } from '../../../shared/contract/audience/membership.ts';
import type { attentionReasons } from '../../../shared/contract/features/attention.ts';
import type { Offer } from '../../../shared/contract/features/offers.ts';
import type { PaymentState } from '../../../shared/contract/features/payments.ts';

type Reason = NonNullable<PaymentState['reason']>;

type AttentionReason = (typeof attentionReasons)[number];

/** UI strings of payments, offers and memberships. */
export const selling = {
  payments: {
    title: 'Payments',
    lead: 'Readers pay with Stripe, and the money goes to your own Stripe account. Card numbers never reach this service.',
    connect: 'Connect Stripe',
    connected: 'Stripe connected',
    change: 'Change key or settings',
    changeLead: 'Paste the current key again to change only the settings.',
    steps: {
      open: 'Open your keys at Stripe',
      create: 'and press “Create restricted key”.',
      write: 'Allow “Write” for Checkout Sessions, Products, Customer portal and Webhook Endpoints.',
      read: 'Allow “Read” for Events, Subscriptions, Invoices, PaymentIntents, Charges and Refunds, and Disputes.',
      paste: 'Copy the key, come back and press “Connect Stripe”. A test key lets you try everything first.',
    },
    key: {
      label: 'Restricted key',
      description: 'Begins with rk_live_ or rk_test_. It is stored encrypted and never shown again.',
    },
    taxField: {
      label: 'Calculate taxes with Stripe Tax',
      description: 'Set up Stripe Tax at Stripe first. Prices include taxes.',
    },
    codesField: { label: 'Accept promotion codes', description: 'Create them at Stripe.' },
    confirm: {
      label: 'Replace the connected account',
      description:
        'Needed for a key of another account or mode, and after the site moved to another address.',
    },
    account: 'Account',
    unnamed: 'Connected (the key may not read its name)',
    mode: 'Mode',
    live: 'Live',
    test: 'Test',
    news: 'Sales arrive',
    byWebhook: 'immediately',
    byPolling: 'within a minute; refunds and renewals within 15 minutes',
    tax: 'Stripe Tax',
    codes: 'Promotion codes',
    active: 'Connected',
    broken: 'Not working',
    testLead:
      'This is a test key: no money moves. On a public site, only people who work on it can buy, and content opens only to them.',
    reasons: {
      key_refused: {
        title: 'Stripe refuses the key',
        lead: 'It was revoked, has expired or lacks a permission. Your site sells nothing until you connect another key. Readers keep what they bought.',
      },
      moved: {
        title: 'The site has a new address',
        lead: 'The account was connected under another address. If this is a copy of your site, leave it disconnected. If your site moved, connect the key again and confirm.',
      },
      key_unreadable: {
        title: 'The key can’t be decrypted',
        lead: 'SECRET_KEY has changed since you connected. Connect the key again.',
      },
    } satisfies Record<Reason, { title: string; lead: string }>,
    warnings: {
      full_access_key:
        'This key may do everything in your Stripe account. Replace it with a restricted key, which begins with rk_.',
    } satisfies Record<NonNullable<PaymentState['warning']>, string>,
    sync: 'Sync now',
    syncing: 'Syncing with Stripe',
    disconnect: 'Disconnect',
    disconnectTitle: 'Disconnect Stripe?',
    disconnectLead:
      'Your site stops selling. Purchases stay open, and memberships until the end of their paid period. Stripe continues to charge members until you cancel their subscriptions at Stripe.',
    disconnected: (memberships: number) =>
      memberships === 0
        ? 'Stripe disconnected'
        : `Stripe disconnected. It still charges ${memberships} ${memberships === 1 ? 'membership' : 'memberships'}.`,
  },
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
    /** State of a sale without real money. */
    tested: (state: string) => `${state} (test)`,
    states: { on: 'For sale', off: 'Not for sale' },
  },
  memberships: {
    title: 'Memberships',
    lead: 'Recurring payments, and how long each opens its content.',
    none: 'No memberships yet',
    noneLead: 'Add an offer for a membership. Everyone who joins appears here.',
    search: 'Find by email',
    member: 'Member',
    openUntil: 'Paid until',
    joined: 'Joined',
    edit: 'Correct the address',
    states: {
      trialing: 'In trial',
      active: 'Active',
      past_due: 'Payment failed',
      ended: 'Ended',
    } satisfies Record<z.infer<typeof membership.read>['state'], string>,
  },
  attention: {
    title: 'Needs attention',
    lead: 'Sales that you should look at: disputes, failed payments, double memberships and recent refunds.',
    none: 'Nothing needs your attention',
    noneLead: 'Disputes, failed payments and refunds appear here.',
    sale: 'Buyer',
    connection: 'Connection to Stripe',
    open: 'Open at Stripe',
    openOf: (email: string) => `Open at Stripe: ${email}`,
    reasons: {
      key_broken: 'Broken',
      disputed: 'Disputed',
      blocked: 'Closed',
      past_due: 'Payment failed',
      two_memberships: 'Two memberships',
      refunded: 'Refunded',
    } satisfies Record<AttentionReason, string>,
    hints: {
      key_broken: 'Nothing is sold. Connect Stripe again under Payments.',
      disputed: 'Answer the dispute at Stripe before its deadline.',
      blocked: 'The last payment was refunded or disputed, so the membership opens nothing.',
      past_due: 'The payment failed. Stripe tries again.',
      two_memberships: 'One person pays twice. Cancel one membership at Stripe.',
      refunded: 'Refunded in the last 30 days. No action is needed.',
    } satisfies Record<AttentionReason, string>,
  },
  sellingSettings: {
    title: 'Selling',
    note: { label: 'Note beside buy buttons', description: 'For example “incl. VAT”' },
    terms: { label: 'Terms of sale', description: 'URL of a page, linked beside buy buttons' },
  },
} as const;
