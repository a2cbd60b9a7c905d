import {
  labelled,
  list,
  markdown,
  partialDate,
  requiredName,
  requiredText,
  text,
  usualFields,
} from '../fields.ts';
import { defineResource } from '../resource.ts';

export const experience = defineResource({
  name: 'experience',
  collection: 'experience',
  description: 'Work experience of the creator',
  words: {
    screen: 'cv',
    one: 'job',
    lead: 'Where you have worked, as your CV lists it.',
    begin: 'Add the job that you have now, or had last.',
  },
  fields: {
    company: labelled(
      'Company',
      requiredName(200, 'Employer or client', 'Northwind Labs'),
      'Whom you worked for.',
    ),
    title: labelled('Role', requiredText(200, 'Job title', 'Staff engineer'), 'What you were there.'),
    location: labelled('Where?', text(200, 'Location, such as a city', 'Remote'), 'A city, or “Remote”.'),
    start_date: labelled('From', partialDate('Start date', '2021-03'), 'A year, a month or a day.'),
    end_date: labelled(
      'Until',
      partialDate('End date; null if it has not ended', '2024-08'),
      'Leave it empty while it lasts.',
    ),
    description: labelled(
      'What did you do?',
      markdown(50_000, 'Description of the work', 'Led the move to event-driven billing.'),
    ),
    bullets: labelled('What did you achieve?', list('Achievements', ['Cut invoice errors to a tenth'])),
    skills: labelled('Skills you used', list('Skills used', ['TypeScript', 'PostgreSQL'])),
    ...usualFields,
  },
});
