import { labelled, requiredName, sortOrder, text, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';

/** Skills have no drafts. */
export const skill = defineResource({
  name: 'skill',
  collection: 'skills',
  description: 'Skills of the creator',
  words: {
    screen: 'cv',
    lead: 'What you are good at, as your CV lists it.',
    begin: 'Begin with the three that you are asked for most.',
  },
  fields: {
    name: labelled('Name', requiredName(100, 'Name of the skill', 'PostgreSQL'), 'What you are good at.'),
    category: labelled(
      'Group',
      text(100, 'Group in which the skill is listed', 'Databases'),
      'Skills of one group stand together.',
    ),
    proficiency: labelled(
      'How good are you at it?',
      text(50, 'Proficiency level', 'expert', {
        choices: { expert: 'Expert', proficient: 'Proficient', familiar: 'Familiar with it' },
      }),
    ),
    visibility,
    sort_order: sortOrder,
  },
});
