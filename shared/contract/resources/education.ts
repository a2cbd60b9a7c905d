import { labelled, markdown, partialDate, requiredName, text, usualFields } from '../fields.ts';
import { defineResource } from '../resource.ts';

export const education = defineResource({
  name: 'education',
  collection: 'education',
  description: 'Education of the creator',
  labels: {
    screen: 'cv',
    one: 'school',
    lead: 'Your schools and degrees, as listed on your CV.',
    begin: 'Add a school, your subject and the dates.',
  },
  fields: {
    institution: labelled(
      'School or university',
      requiredName(200, 'Name of the school or university', 'University of Porto'),
    ),
    degree: labelled('Degree', text(200, 'Degree', 'MSc')),
    field: labelled('Subject', text(200, 'Field of study', 'Computer science')),
    start_date: labelled('From', partialDate('Start date', '2011'), 'A year, a month or a day.'),
    end_date: labelled(
      'Until',
      partialDate('End date; null if it has not ended', '2013'),
      'Leave empty if it is current.',
    ),
    description: labelled(
      'Description',
      markdown(50_000, 'Description, such as focus, thesis and honors', 'Thesis on log-structured storage.'),
      'Focus, thesis, honors.',
    ),
    ...usualFields,
  },
});
