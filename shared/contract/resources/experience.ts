import { labelled, list, markdown, partialDate, requiredText, text, usualFields } from '../fields.ts';
import { defineResource } from '../resource.ts';

export const experience = defineResource({
  name: 'experience',
  collection: 'experience',
  description: 'Jobs and engagements',
  words: {
    screen: 'cv',
    one: 'job',
    lead: 'Where you have worked, as your CV lists it.',
    begin: 'Add the job that you have now, or had last.',
  },
  fields: {
    company: labelled(
      'Company',
      'Whom you worked for.',
      requiredText(200, 'Employer or client', 'Northwind Labs'),
    ),
    title: labelled('Role', 'What you were there.', requiredText(200, 'Role', 'Staff engineer')),
    location: labelled('Where?', 'A city, or “Remote”.', text(200, 'Place', 'Remote')),
    start_date: labelled('From', 'A year, a month or a day.', partialDate('First day', '2021-03')),
    end_date: labelled(
      'Until',
      'Leave it empty while it lasts.',
      partialDate('Last day; null while it lasts', '2024-08'),
    ),
    description: labelled(
      'What did you do?',
      '',
      markdown(50_000, 'What the work was', 'Led the move to event-driven billing.'),
    ),
    bullets: labelled('What did you achieve?', '', list('Achievements', ['Cut invoice errors to a tenth'])),
    skills: labelled('Skills you used', '', list('Skills used', ['TypeScript', 'PostgreSQL'])),
    ...usualFields,
  },
});
