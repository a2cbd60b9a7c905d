import { accessTiers } from '../access-tier.ts';
import {
  dateTime,
  flag,
  isDraft,
  list,
  markdown,
  paragraph,
  requiredText,
  slug,
  text,
  visibility,
} from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';

/** Its read shapes are in `post-read.ts`. */
export const post = defineResource({
  name: 'post',
  collection: 'posts',
  description: 'Articles; an access tier can reserve their bodies',
  events: true,
  fields: {
    title: requiredText(500, 'Headline of the post', 'Type-safe APIs without a build step'),
    slug: slug('why-types-pay'),
    content: markdown(500_000, 'Full body', '# Why types pay\n\nA short story about contracts.'),
    excerpt: paragraph(
      1_000,
      'Teaser, readable by everyone',
      'What a contract saves you, told in ten minutes.',
    ),
    visibility,
    is_draft: isDraft,
    published_at: dateTime('When the post was published; set on first publication when left out'),
    featured: flag('Whether the post is pinned to the top of the site'),
    tags: list('Topics', ['typescript', 'api']),
    access_tier: text(50, 'Who reads the body; an unknown value closes it to all', 'free', {
      unset: 'free',
      suggestions: accessTiers,
    }),
    ...sharing,
  },
});
