import { labelled, requiredName, sortOrder, text, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';

/** Skill of the creator. Skills have no drafts. */
export const skill = defineResource({
  name: 'skill',
  collection: 'skills',
  description: 'Skills of the creator',
  labels: {
    screen: 'cv',
    lead: 'Your skills, as listed on your CV.',
    begin: 'Start with your three most important skills.',
  },
  fields: {
    name: labelled(
      'Name',
      requiredName(100, 'Name of the skill', 'PostgreSQL'),
      'Something you are good at.',
    ),
    category: labelled(
      'Group',
      text(100, 'Group in which the skill is listed', 'Databases'),
      'Skills of the same group are shown together.',
    ),
    proficiency: labelled(
      'Proficiency',
      text(50, 'Proficiency level', 'expert', {
        choices: { expert: 'Expert', proficient: 'Proficient', familiar: 'Familiar' },
      }),
    ),
    visibility,
    sort_order: sortOrder,
  },
});
