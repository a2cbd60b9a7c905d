import { pino } from 'pino';
import { Stripe } from 'stripe';
import { base62, newRecordId, randomText } from '../../shared/contract/record-id.ts';
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

/** Selling site, and a stand-in of Stripe with one account, in test mode unless `livemode`. */
export async function startStripeSite({
  livemode = false,
  config,
  logger = pino({ level: 'silent' }),
  ...options
}: TestAppOptions & { livemode?: boolean } = {}) {
  await using stack = new AsyncDisposableStack();
  let now = () => new Date();
  const stripe = stack.use(await startStripe({ now: () => now() }));
  const app = stack.use(
    await startSellingSite({ ...options, logger, config: { stripeApiBase: stripe.url, ...config } }),
  );
  now = () => app.clock.now();
  const account = stripe.createAccount({ livemode, name: 'Ada’s studio' });
  const siteId = await app.seed.ownSite();
  const client = clientOf(stripe.url, account.key);
  const { deps } = app;
  const passDeps = {
    ...{ database: deps.database, clock: deps.clock, randomBytes: deps.randomBytes, secrets: deps.secrets },
    ...{ stripeApiBase: stripe.url, countsTest: deps.config.countsTest, logger },
    // Tests change it.
    get publicUrl() {
      return deps.config.publicUrl;
    },
  };
  const cleanUp = stack.move();
  const rows = <Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> =>
    deps.database.em.fork().execute(sql, parameters);
  return {
    ...app,
    ...{ stripe, account, client, siteId, passDeps, rows },
    ledger: () => stripe.ledger(account.id, livemode),
    /** Sessions of checkouts, without the one that proved the key. */
    sessions: () => stripe.ledger(account.id, livemode).sessions.filter(({ metadata }) => metadata?.checkout),
    connect: (values: object = {}) => app.studio.payments.connect.mutate({ key: account.key, ...values }),
    /** Runs the pass that is due, if any. */
    pass: () => syncSite(passDeps, siteId),
    /** Runs a pass now. */
    async passNow() {
      await wakePayments(deps.database.em.fork(), siteId, app.clock.now());
      await syncSite(passDeps, siteId);
    },
    connection: async () => (await rows<Record<string, unknown>>('select * from payment_connections'))[0],
    /** Starts a checkout of an offer, as the service does. */
    async begin(
      offer: { id: string },
      { email = 'grace@example.com', trial }: { email?: string; trial?: number } = {},
    ) {
      const { items } = await app.studio.offers.list.query({});
      const sold = items.find(({ id }) => id === offer.id);
      if (!sold) throw new Error('no such offer');
      const id = newRecordId(app.clock.now(), deps.randomBytes);
      const token = randomText(base62, 22, deps.randomBytes);
      const metadata = { site: siteId, checkout: id, offer: sold.id };
      const product = await client.products.create({ name: sold.title });
      const isOnce = sold.interval === 'once';
      const session = await client.checkout.sessions.create({
        ...{ mode: isOnce ? 'payment' : 'subscription', metadata, customer_email: email },
        ...{ success_url: 'https://ada.example.com/done', client_reference_id: id },
        ...(isOnce
          ? { payment_intent_data: { metadata } }
          : { subscription_data: { metadata, ...(trial && { trial_period_days: trial }) } }),
        line_items: [
          {
            quantity: 1,
            price_data: {
              ...{
                currency: sold.currency.toLowerCase(),
                product: product.id,
                unit_amount: sold.amount * 100,
              },
              ...(sold.interval !== 'once' && { recurring: { interval: sold.interval } }),
            },
          },
        ],
      });
      const at = app.clock.now();
      await rows(
        `insert into checkouts (site_id, id, token, offer_id, email, amount, currency, trial_days, parameters, attempt, session_ref, url, state, expires_at, created, updated)
         values (?, ?, ?, ?, ?, ?, ?, ?, '{}', 1, ?, ?, 'open', ?, ?, ?)`,
        [
          siteId,
          id,
          token,
          sold.id,
          email,
          sold.amount,
          sold.currency,
          trial ?? null,
          session.id,
          session.url,
          new Date(at.getTime() + 45 * 60_000),
          at,
          at,
        ],
      );
      return { id, session: session.id };
    },
    events: async () =>
      (await rows<{ name: string; body: string }>('select name, body from events order by occurred_at'))
        .map(({ name, body }) => ({ name, ...JSON.parse(body) }))
        .filter(({ name }) => !name.startsWith('content.')),
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

/** Site of `startStripeSite` that is connected to its account. */
export async function startConnectedSite(options: TestAppOptions & { livemode?: boolean } = {}) {
  const site = await startStripeSite(options);
  await site.connect();
  return site;
}

/** Client of an account, as its owner's other programs use it. */
export const clientOf = (url: URL, key: string) =>
  new Stripe(key, {
    host: url.hostname,
    port: url.port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  });

export type StripeSite = Awaited<ReturnType<typeof startStripeSite>>;

const ofPost = {
  ...{ title: 'The price of sleep', interval: 'once' as const, collection: 'posts' as const },
  ...{ amount: 49, currency: 'EUR' },
};

const ofMonth = { title: 'Membership', interval: 'month' as const, amount: 5, currency: 'EUR' };

export type SellingSite = Awaited<ReturnType<typeof startSellingSite>>;
