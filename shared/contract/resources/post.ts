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

/** Post with all its fields. `post-read.ts` defines its reads by API version, in which the body may be withheld. */
export const post = defineResource({
  name: 'post',
  collection: 'posts',
  description: 'Posts; their access tier decides who can read the content',
  labels: {
    lead: 'Your posts. Each is open to everyone or to the readers you choose.',
    begin: 'Start with a title. Drafts save automatically, and no one sees them before you publish.',
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
      'Two sentences that invite people to read. Everyone sees them, even if the post is restricted.',
    ),
    visibility,
    is_draft: isDraft,
    published_at: labelled(
      'Date',
      dateTime('Publication time; set at the first publication if omitted'),
      'The date that readers see. If empty, the day of publication.',
    ),
    featured: labelled('Pinned to the top', flag('True if the post is pinned to the top of the site')),
    tags: labelled(
      'Tags',
      list('Tags', ['typescript', 'api']),
      'Topics, one word per tag. Each tag has a page with its posts.',
    ),
    access_tier: labelled(
      'Access',
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
