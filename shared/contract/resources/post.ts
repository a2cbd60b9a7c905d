import {
  dateTime,
  flag,
  isDraft,
  labelled,
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
import { accessTierLabels } from './access-tier.ts';

/** What readers get of it, by version and without a body that is withheld, is in `post-read.ts`. */
export const post = defineResource({
  name: 'post',
  collection: 'posts',
  description: 'Posts; their access tier decides who can read the content',
  words: {
    lead: 'What you write. Each post is for everyone, or for those you choose.',
    begin: 'Begin with a title. What you type is kept at once, and nobody sees it before you publish it.',
  },
  events: true,
  fields: {
    title: labelled('Title', requiredText(500, 'Title of the post', 'Type-safe APIs without a build step')),
    slug: slug('why-types-pay'),
    content: labelled(
      'Content',
      markdown(500_000, 'Full text', '# Why types pay\n\nA short story about contracts.'),
    ),
    excerpt: labelled(
      'Excerpt',
      paragraph(
        1_000,
        'Excerpt, readable regardless of the access tier',
        'What a contract saves you, told in ten minutes.',
      ),
      'Two sentences that make people want to read on. Everyone sees them, also where the post itself is not for everyone.',
    ),
    visibility,
    is_draft: isDraft,
    published_at: labelled(
      'Date',
      dateTime('Publication time; set at the first publication if omitted'),
      'The day that readers see. Left empty, it is the day you publish it.',
    ),
    featured: labelled(
      'Pin it to the top of your site',
      flag('True if the post is pinned to the top of the site'),
    ),
    tags: labelled(
      'Tags',
      list('Tags', ['typescript', 'api']),
      'What it is about, in a word each. Each has a page with all posts about it.',
    ),
    access_tier: labelled(
      'Who can read this?',
      text(
        50,
        'Access tier that is required to read the content; an unknown tier withholds it from all readers',
        'free',
        {
          unset: 'free',
          choices: accessTierLabels,
        },
      ),
    ),
    ...sharing,
  },
});
