import {
  isDraft,
  list,
  markdown,
  partialDate,
  requiredText,
  sortOrder,
  text,
  visibility,
} from '../fields.ts';
import { defineResource } from '../resource.ts';

export const experience = defineResource({
  name: 'experience',
  collection: 'experience',
  description: 'Jobs and engagements',
  fields: {
    company: requiredText(200, 'Employer or client', 'Northwind Labs'),
    title: requiredText(200, 'Role', 'Staff engineer'),
    location: text(200, 'Place', 'Remote'),
    start_date: partialDate('First day', '2021-03'),
    end_date: partialDate('Last day; null while it lasts', '2024-08'),
    description: markdown(50_000, 'What the work was', 'Led the move to event-driven billing.'),
    bullets: list('Achievements', ['Cut invoice errors to a tenth']),
    skills: list('Skills used', ['TypeScript', 'PostgreSQL']),
    visibility,
    is_draft: isDraft,
    sort_order: sortOrder,
  },
});
