import { z } from 'zod';
import { boundedText, type Field, flag, requiredName, text } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { defineAudienceTable, emailField, requiredField } from './audience-table.ts';

const content = {
  description: 'Text of the testimonial',
  examples: ['The course paid for itself in a week.'],
};
const stars = { description: 'Rating in stars, from 1 to 5', examples: [5] };
const rating: Field<number, number | null, false> = {
  kind: 'integer',
  input: z.int().min(1).max(5).meta(stars),
  output: z.int().nullable().meta(stars),
  column: 'integer',
  unset: null,
  required: false,
};
const approved = flag('True if the testimonial is shown on the site');

/** Testimonial of a person about the creator. `create` is the input of visitors at `site.testimonials.submit`. */
export const testimonial = defineAudienceTable({
  collection: 'testimonials',
  fields: {
    name: requiredName(200, 'Name of the author', 'Grace Lin'),
    email: emailField('Email address of the author'),
    company: text(200, 'Company of the author', 'Northwind Labs'),
    role: text(200, 'Role of the author at the company', 'CTO'),
    content: requiredField('paragraph', boundedText(5_000).meta(content).min(1), z.string().meta(content)),
    rating,
    approved,
  },
  later: ['approved'],
  searched: ['name', 'email', 'company', 'content'],
  filters: { approved: { input: approved.output, is: 'equal', column: 'approved' } },
});

/** Approved testimonial as the site shows it, without the author's email address. */
export const ApprovedTestimonial = testimonial.read.omit({ email: true, approved: true });

export const UpdateTestimonial = z.strictObject({ id: RecordId, approved: approved.input.optional() });
