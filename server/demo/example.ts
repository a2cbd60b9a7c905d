import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { purchase } from '../../shared/contract/audience/purchase.ts';
import { subscriber } from '../../shared/contract/audience/subscriber.ts';
import { testimonial } from '../../shared/contract/audience/testimonial.ts';
import { UpdateMember } from '../../shared/contract/features/member.ts';
import { UpdateProfile } from '../../shared/contract/features/profile.ts';

const days_ago = z.number();

const Module = z.strictObject({ title: z.string(), lessons: z.array(z.looseObject({})) });

/** Record with its age. Its other fields are parsed by the collection's contract when it is written. */
const Dated = z.looseObject({
  days_ago,
  title: z.string().optional(),
  picture: z.string().optional(),
  modules: z.array(Module).optional(),
});

const Audience = z.strictObject({
  members: z.array(
    z.strictObject({
      days_ago,
      email: z.string(),
      name: z.string(),
      tiers: UpdateMember.shape.access_tiers.unwrap(),
      blocked: z.literal(true).optional(),
    }),
  ),
  subscribers: z.array(subscriber.create.extend({ days_ago })),
  testimonials: z.array(testimonial.create.extend({ days_ago })),
  purchases: z.array(
    z.strictObject(purchase.create.shape).omit({ content_id: true }).extend({ days_ago, title: z.string() }),
  ),
  enrollments: z.array(
    z.strictObject({
      days_ago,
      email: z.string(),
      course: z.string(),
      completed_days_ago: days_ago.optional(),
    }),
  ),
  newsletter: z.strictObject({ days_ago, post: z.string() }),
  offers: z.array(z.looseObject({ days_ago, course: z.string().optional() })),
});

/**
 * Reads the example's records of a collection, the latest of a day first; empty if it has no file. Throws `ZodError`
 * for a file that breaks its contract.
 */
export const readRecords = (collection: string) =>
  existsSync(fileOf(collection)) ? read(collection, z.array(Dated)) : [];

export const readProfile = () => read('profile', UpdateProfile);

export const readAudience = () => read('audience', Audience);

const fileOf = (name: string) => new URL(`${name}.yaml`, import.meta.url);

function read<T extends z.ZodType>(name: string, contract: T): z.output<T> {
  return contract.parse(parse(readFileSync(fileOf(name), 'utf8')));
}
