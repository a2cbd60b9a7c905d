import { isDraft, list, markdown, requiredText, slug, text, url, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';

export const project = defineResource({
  name: 'project',
  collection: 'projects',
  description: 'Things the creator made or is making',
  events: true,
  fields: {
    title: requiredText(200, 'Name of the project', 'Lantern'),
    slug: slug('lantern'),
    description: markdown(50_000, 'What it is and why', 'A feed reader that works offline.'),
    url: url('Where it runs', 'https://lantern.example.com'),
    repo_url: url('Where its source is', 'https://git.example.com/ada/lantern'),
    status: text(50, 'Where it stands', 'active', {
      suggestions: ['planned', 'active', 'completed', 'archived'],
    }),
    visibility,
    is_draft: isDraft,
    tech_stack: list('What it is built with', ['TypeScript', 'PostgreSQL']),
    tags: list('Topics', ['open-source']),
    ...sharing,
  },
});
