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
  labels: {
    screen: 'cv',
    one: 'job',
    lead: 'Your jobs, as listed on your CV.',
    begin: 'Add your current or most recent job.',
  },
  fields: {
    company: labelled(
      'Company',
      requiredName(200, 'Employer or client', 'Northwind Labs'),
      'Your employer or client.',
    ),
    title: labelled('Role', requiredText(200, 'Job title', 'Staff engineer'), 'Your position.'),
    location: labelled(
      'Location',
      text(200, 'Location of the job, such as a city', 'Remote'),
      'A city, or “Remote”.',
    ),
    start_date: labelled('From', partialDate('Start date', '2021-03'), 'A year, a month or a day.'),
    end_date: labelled(
      'Until',
      partialDate('End date; null if it has not ended', '2024-08'),
      'Leave empty if it is current.',
    ),
    description: labelled(
      'Description',
      markdown(50_000, 'Description of the work', 'Led the move to event-driven billing.'),
    ),
    bullets: labelled('Achievements', list('Achievements', ['Cut invoice errors to a tenth'])),
    skills: labelled('Skills used', list('Skills used', ['TypeScript', 'PostgreSQL'])),
    ...usualFields,
  },
});
