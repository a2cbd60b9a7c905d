import { isDraft, labelled, markdown, requiredText, slug, visibilityWith } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';
import { reservedSegments } from '../site-paths.ts';

/** Custom page of the site. Only people who work on the site read and write the record, over RPC. */
export const page = defineResource({
  name: 'page',
  collection: 'pages',
  description: 'Custom pages of the site',
  labels: {
    lead: 'Standalone pages, such as “About” or “Uses”.',
    begin: 'Start with a title. No one sees the page before you publish it.',
  },
  events: true,
  ownersOnly: true,
  reservedSlugs: reservedSegments,
  fields: {
    title: labelled('Title', requiredText(500, 'Title of the page', 'Uses')),
    slug: slug('uses', reservedSegments),
    content: labelled('Content', markdown(500_000, 'Full text', 'What is on my desk.')),
    visibility: visibilityWith('Anyone with the link'),
    is_draft: isDraft,
    ...sharing,
  },
});
