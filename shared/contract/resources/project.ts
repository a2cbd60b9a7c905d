import { isDraft, labelled, list, markdown, requiredText, slug, text, url, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';

export const project = defineResource({
  name: 'project',
  collection: 'projects',
  description: 'Projects of the creator',
  words: {
    lead: 'Things that you made, or are making.',
    begin: 'Begin with what you are proudest of: a title and two sentences are enough.',
  },
  events: true,
  fields: {
    title: labelled(
      'Title',
      requiredText(200, 'Title of the project', 'Lantern'),
      'What the project is called.',
    ),
    slug: slug('lantern'),
    description: labelled(
      'Description',
      markdown(50_000, 'Description of the project', 'A feed reader that works offline.'),
      'What it is, and why you made it.',
    ),
    url: labelled(
      'Where can it be seen?',
      url('URL of the project or a demo', 'https://lantern.example.com'),
      'The address of the thing itself, or of a demo.',
    ),
    repo_url: labelled(
      'Where is its code?',
      url('URL of the source code', 'https://git.example.com/ada/lantern'),
    ),
    status: labelled(
      'How far is it?',
      text(50, 'Status of the project', 'active', {
        choices: {
          planned: 'Planned',
          active: 'In the making',
          completed: 'Finished',
          archived: 'No longer looked after',
        },
      }),
    ),
    visibility,
    is_draft: isDraft,
    tech_stack: labelled('What is it made with?', list('Technologies used', ['TypeScript', 'PostgreSQL'])),
    tags: labelled('Tags', list('Tags', ['open-source']), 'What it is about, in a word each.'),
    ...sharing,
  },
});
