import { isDraft, markdown, requiredText, slug, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';
import { reservedSegments } from '../site-paths.ts';

/** A custom page of the site: written and read by its owner over RPC only. */
export const page = defineResource({
  name: 'page',
  collection: 'pages',
  description: 'Custom pages of the site',
  events: true,
  ownersOnly: true,
  reservedSlugs: reservedSegments,
  fields: {
    title: requiredText(500, 'Title of the page', 'Uses'),
    slug: slug('uses', reservedSegments),
    content: markdown(500_000, 'Full body', 'What is on my desk.'),
    visibility,
    is_draft: isDraft,
    ...sharing,
  },
});
