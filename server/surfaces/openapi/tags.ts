import { resources } from '../../../shared/contract/resources/index.ts';

const contents = Object.values(resources).map(({ collection, description }) => [collection, description]);

/** What each group of operations is about, in the documentation's order. */
export const tags: Readonly<Record<string, string>> = {
  profile: 'Who the site is about',
  ...Object.fromEntries(contents),
  media: 'Files of the site: images, documents, audio and video',
  members: 'Accounts of those who read the site',
  analytics: 'Page views and visitors',
  events: 'The log of events, polled by programs that can take no deliveries',
  webhooks: 'Subscriptions: who is told of events by signed deliveries',
  deliveries: 'What subscribers receive',
  session: "The owner's login, which administration needs",
  'api-keys': 'Credentials of programs',
};
