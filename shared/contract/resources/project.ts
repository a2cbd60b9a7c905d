import { isDraft, labelled, list, markdown, requiredText, slug, text, url, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { sharing } from '../sharing.ts';

export const project = defineResource({
  name: 'project',
  collection: 'projects',
  description: 'Things the creator made or is making',
  words: {
    lead: 'Things that you made, or are making.',
    begin: 'Begin with what you are proudest of: a title and two sentences are enough.',
  },
  events: true,
  fields: {
    title: labelled(
      'Title',
      'What the project is called.',
      requiredText(200, 'Name of the project', 'Lantern'),
    ),
    slug: slug('lantern'),
    description: labelled(
      'Description',
      'What it is, and why you made it.',
      markdown(50_000, 'What it is and why', 'A feed reader that works offline.'),
    ),
    url: labelled(
      'Where can it be seen?',
      'The address of the thing itself, or of a demo.',
      url('Where it runs', 'https://lantern.example.com'),
    ),
    repo_url: labelled(
      'Where is its code?',
      '',
      url('Where its source is', 'https://git.example.com/ada/lantern'),
    ),
    status: labelled(
      'How far is it?',
      '',
      text(50, 'Where it stands', 'active', {
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
    tech_stack: labelled(
      'What is it made with?',
      '',
      list('What it is built with', ['TypeScript', 'PostgreSQL']),
    ),
    tags: labelled('Tags', 'What it is about, in a word each.', list('Topics', ['open-source'])),
    ...sharing,
  },
});
