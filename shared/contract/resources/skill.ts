import { requiredText, sortOrder, text, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';

/** Skills have no drafts. */
export const skill = defineResource({
  name: 'skill',
  collection: 'skills',
  description: 'What the creator is good at',
  fields: {
    name: requiredText(100, 'Name of the skill', 'PostgreSQL'),
    category: text(100, 'Group it is listed under', 'Databases'),
    proficiency: text(50, 'Level', 'expert', { suggestions: ['expert', 'proficient', 'familiar'] }),
    visibility,
    sort_order: sortOrder,
  },
});
