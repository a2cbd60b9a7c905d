import { z } from 'zod';
import { created } from './envelopes.ts';
import { boundedText, hasCents, reference } from './fields.ts';
import { Email } from './member.ts';
import { keysOf } from './names-of.ts';
import { pageQuery, partQuery } from './pagination.ts';
import { RecordId } from './record-id.ts';
import { resources } from './resources/index.ts';

const text = (max: number, description: string, example: string) =>
  boundedText(max).meta({ description, examples: [example] });
const optionalText = (max: number, description: string, example: string) =>
  text(max, description, example).nullable().optional();
const stored = (description: string, example: string) =>
  z.string().meta({ description, examples: [example] });

/** What a visitor sends to `site.newsletter.subscribe`. */
export const Subscribe = z.strictObject({
  email: Email,
  name: optionalText(200, 'Name', 'Grace Lin'),
  source: optionalText(200, 'Where the form is', 'footer'),
});

export const Subscriber = z.strictObject({
  id: RecordId,
  email: stored('E-mail address', 'grace@example.com'),
  name: stored('Name', 'Grace Lin'),
  source: stored('Where the form was', 'footer'),
  created,
});

/** What a visitor sends to `site.testimonials.submit`. */
export const SubmitTestimonial = z.strictObject({
  name: text(200, 'Who writes', 'Grace Lin').min(1),
  email: Email,
  company: optionalText(200, "The writer's company", 'Northwind Labs'),
  role: optionalText(200, "The writer's role", 'CTO'),
  content: text(5_000, 'What they say', 'The course paid for itself in a week.').min(1),
  rating: z
    .int()
    .min(1)
    .max(5)
    .nullable()
    .optional()
    .meta({ description: 'Stars', examples: [5] }),
});

export const Testimonial = z.strictObject({
  id: RecordId,
  name: stored('Who wrote it', 'Grace Lin'),
  email: stored('E-mail address', 'grace@example.com'),
  company: stored('Company', 'Northwind Labs'),
  role: stored('Role', 'CTO'),
  content: stored('What they say', 'The course paid for itself in a week.'),
  rating: z
    .int()
    .nullable()
    .meta({ description: 'Stars', examples: [5] }),
  approved: z.boolean().meta({ description: 'Whether the site shows it', examples: [false] }),
  created,
});

/** What the site shows of one that its owner approved: never the address of who wrote it. */
export const ApprovedTestimonial = Testimonial.omit({ email: true, approved: true });

export const UpdateTestimonial = z.strictObject({
  id: RecordId,
  approved: Testimonial.shape.approved.optional(),
});

/** What can be bought: a record of any kind of content. */
const Purchasable = z.enum(keysOf(resources));

/** ISO 4217 codes. */
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** What an owner sends to `studio.purchases.record`. */
export const RecordPurchase = z.strictObject({
  buyer_email: Email,
  content_type: Purchasable.meta({ description: 'Collection of what was bought', examples: ['posts'] }),
  content_id: reference('record that was bought').input,
  amount: z
    .number()
    .min(0)
    .refine(hasCents, { error: 'must have at most two decimals' })
    .meta({ description: 'Amount paid', multipleOf: 0.01, examples: [49.5] }),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .refine((code) => currencies.has(code), { error: 'must be an ISO 4217 code' })
    .meta({ description: 'ISO 4217 code', examples: ['EUR'] }),
});

/** A purchase, as the owner reads it. */
export const Purchase = z.strictObject({
  id: RecordId,
  buyer_email: stored('E-mail address of the buyer', 'grace@example.com'),
  content_type: stored('Collection of what was bought', 'posts'),
  content_id: stored('Id of what was bought', 'mb3k9x2a7f0q1zd'),
  amount: z.number().meta({ description: 'Amount paid', examples: [49.5] }),
  currency: stored('ISO 4217 code', 'EUR'),
  created,
});

/** What an owner sends to `studio.enrollments.create`. */
export const CreateEnrollment = z.strictObject({
  course_id: reference('course').input,
  buyer_email: Email,
});

/** A learner in a course, as the owner reads it. */
export const Enrollment = z.strictObject({
  id: RecordId,
  course_id: stored('Id of the course', 'mb3k9x2a7f0q1zd'),
  buyer_email: stored('E-mail address of the learner', 'grace@example.com'),
  completed_at: z
    .date()
    .nullable()
    .meta({ description: 'When the course was finished; null while it is not' }),
  created,
});

/** Whom a list of what people did is asked for. */
const ofPeople = { ...pageQuery, q: partQuery };

/** What owners ask of their lists, newest first. */
export const SubscribersAsked = z.object(ofPeople).prefault({});

export const TestimonialsAsked = z
  .object({ ...ofPeople, approved: Testimonial.shape.approved.optional() })
  .prefault({});

export const PurchasesAsked = z
  .object({ ...ofPeople, content_type: RecordPurchase.shape.content_type.optional() })
  .prefault({});

export const EnrollmentsAsked = z
  .object({
    ...ofPeople,
    course_id: CreateEnrollment.shape.course_id.optional(),
    completed: z
      .boolean()
      .meta({ description: 'Only those that are finished, or not', examples: [true] })
      .optional(),
  })
  .prefault({});
