import { isDraft, requiredText, slug, text, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';

/** A custom page of the site: written and read by its owner over RPC only (DECISIONS 2). */
export const page = defineResource({
  name: 'page',
  collection: 'pages',
  description: 'Custom pages of the site',
  fields: {
    title: requiredText(500, 'Title of the page', 'Uses'),
    slug: slug('uses'),
    content: text(500_000, 'Full body, in Markdown or HTML', 'What is on my desk.'),
    visibility,
    is_draft: isDraft,
  },
});
