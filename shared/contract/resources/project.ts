import { isDraft, labelled, list, markdown, requiredText, slug, text, url, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';

export const project = defineResource({
  name: 'project',
  collection: 'projects',
  description: 'Projects of the creator',
  labels: {
    lead: 'Finished projects and work in progress.',
    begin: 'Start with your best project: a title and two sentences are enough.',
  },
  events: true,
  fields: {
    title: labelled(
      'Title',
      requiredText(200, 'Title of the project', 'Lantern'),
      'The name of the project.',
    ),
    slug: slug('lantern'),
    description: labelled(
      'Description',
      markdown(50_000, 'Description of the project', 'A feed reader that works offline.'),
      'What it is, and why you made it.',
    ),
    url: labelled(
      'Project link',
      url('URL of the project or a demo', 'https://lantern.example.com'),
      'The URL of the project or a demo.',
    ),
    repo_url: labelled('Source code', url('URL of the source code', 'https://git.example.com/ada/lantern')),
    status: labelled(
      'Progress',
      text(50, 'Status of the project', 'active', {
        choices: {
          planned: 'Planned',
          active: 'In progress',
          completed: 'Finished',
          archived: 'No longer maintained',
        },
      }),
    ),
    visibility,
    is_draft: isDraft,
    tech_stack: labelled('Technologies', list('Technologies used', ['TypeScript', 'PostgreSQL'])),
    tags: labelled('Tags', list('Tags', ['open-source']), 'Topics, one word per tag.'),
    ...sharing,
  },
});
