import { startApp, type TestAppOptions } from './app.ts';
import { ownerClient } from './rpc.ts';
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
    ...{ title: 'Locks', slug: 'locks', access_tier: 'paid', price: 12, description: 'All of them.' },
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

const ofPost = {
  ...{ title: 'The price of sleep', interval: 'once' as const, collection: 'posts' as const },
  ...{ amount: 49, currency: 'EUR' },
};

const ofMonth = { title: 'Membership', interval: 'month' as const, amount: 5, currency: 'EUR' };

export type SellingSite = Awaited<ReturnType<typeof startSellingSite>>;
