import { isDraft, markdown, partialDate, requiredText, sortOrder, text, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';

export const education = defineResource({
  name: 'education',
  collection: 'education',
  description: 'Schools, degrees and what was studied',
  fields: {
    institution: requiredText(200, 'School or university', 'University of Porto'),
    degree: text(200, 'Degree', 'MSc'),
    field: text(200, 'Subject', 'Computer science'),
    start_date: partialDate('Start', '2011'),
    end_date: partialDate('End; null while it lasts', '2013'),
    description: markdown(50_000, 'Focus, thesis, honours', 'Thesis on log-structured storage.'),
    visibility,
    is_draft: isDraft,
    sort_order: sortOrder,
  },
});
