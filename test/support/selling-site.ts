import { pino } from 'pino';
import { wakePayments } from '../../shared/selling/connection.ts';
import { syncSite } from '../../worker/payments/payments.ts';
import { startApp, type TestAppOptions } from './app.ts';
import { ownerClient } from './rpc.ts';
import { startStripe } from './stripe/index.ts';
import { createVisitor } from './visitor.ts';

/** Site with a paid post, a post for members and a paid course, on which the demo provider sells. */
export async function startSellingSite({ config, ...options }: TestAppOptions = {}) {
  const app = await startApp({ config: { countsTest: true, ...config }, ...options });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await studio.site.update.mutate({ currency: 'EUR' });
  const shared = { is_draft: false, visibility: 'public' } as const;
  const post = await studio.posts.create.mutate({
    ...shared,
    ...{ title: 'The price of sleep', slug: 'sleep', access_tier: 'paid', content: 'The secret of sleep.' },
  });
  const members = await studio.posts.create.mutate({
    ...shared,
    ...{ title: 'Numbers', slug: 'numbers', access_tier: 'members', content: 'The secret numbers.' },
  });
  const course = await studio.courses.create.mutate({
    ...shared,
    ...{
      title: 'Locks',
      slug: 'locks',
      access_tier: 'paid',
      price: 12,
      description: 'All of them.',
      lessons_published: true,
    },
  });
  return {
    ...app,
    studio,
    ids: { post: post.id, members: members.id, course: course.id },
    visit: createVisitor(app.baseUrl),
    /** Offer of the paid post. */
    sellPost: (values: object = {}) =>
      studio.offers.create.mutate({ ...ofPost, record_id: post.id, ...values }),
    /** Offer of a membership that opens both tiers. */
    sellMembership: (values: object = {}) => studio.offers.create.mutate({ ...ofMonth, ...values }),
  };
}

/** Selling site that is connected to an account of Stripe's stand-in. `pass` does a pass of the worker. */
export async function startConnectedSite({
  livemode = false,
  config,
  ...options
}: TestAppOptions & { livemode?: boolean } = {}) {
  let now = () => new Date();
  const stripe = await startStripe({ now: () => now() });
  const app = await startSellingSite({ config: { stripeApiBase: stripe.url, ...config }, ...options });
  now = () => app.clock.now();
  const account = stripe.createAccount({ livemode });
  await app.studio.payments.connect.mutate({ key: account.key });
  const { id: siteId } = await app.studio.site.get.query();
  const { stripeApiBase, publicUrl, countsTest } = app.deps.config;
  const deps = { ...app.deps, stripeApiBase, publicUrl, countsTest, logger: pino({ level: 'silent' }) };
  return {
    ...app,
    ...{ stripe, account, siteId },
    ledger: () => stripe.ledger(account.id, livemode),
    /** Sessions of checkouts, without the one that proved the key. */
    sessions: () => stripe.ledger(account.id, livemode).sessions.filter(({ metadata }) => metadata?.checkout),
    async pass() {
      await wakePayments(deps.database.em.fork(), siteId, app.clock.now());
      await syncSite(deps, siteId);
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await stripe[Symbol.asyncDispose]();
    },
  };
}

const ofPost = {
  ...{ title: 'The price of sleep', interval: 'once' as const, collection: 'posts' as const },
  ...{ amount: 49, currency: 'EUR' },
};

const ofMonth = { title: 'Membership', interval: 'month' as const, amount: 5, currency: 'EUR' };

export type SellingSite = Awaited<ReturnType<typeof startSellingSite>>;
