import { z } from 'zod';

/** Form of record IDs: 15 of `a-z 0-9`. The first 8 are the creation time and 7 are random, so IDs sort by age. */
export const recordIdPattern = /^[a-z0-9]{15}$/;

/** Number of base-36 digits for the creation time in milliseconds. They last until the year 2059. */
const timeDigits = 8;
const randomDigits = 7;

/** Returns a new ID for a record created at `now`. */
export const newRecordId = (now: Date, randomBytes: RandomBytes) =>
  now.getTime().toString(36).padStart(timeDigits, '0') + randomText(base36, randomDigits, randomBytes);

/**
 * Returns the creation time of the record with this ID. Text that is not an ID gives an arbitrary or invalid `Date`.
 */
export const createdOf = (id: string) => new Date(Number.parseInt(id.slice(0, timeDigits), 36));

/** Schema of an ID or slug in an address. A malformed one fails with `not_found`, like an unknown one. */
const addressOf = (pattern: RegExp, description: string, example: string) =>
  z
    .string()
    .refine((address) => pattern.test(address), { error: 'not found', params: { code: 'not_found' } })
    .meta({ description, pattern: pattern.source, examples: [example] });

/** ID of the record that a call is about. A malformed ID fails with `not_found`, like an unknown one. */
export const RecordId = addressOf(recordIdPattern, 'Record ID: 15 letters and digits', 'mb3k9x2a7f0q1zd');

/** Input of a call about one record that needs nothing else. */
export const ById = z.strictObject({ id: RecordId });

/**
 * ID of a record in a filter, or of a chosen site. A malformed ID fails with `invalid_request` in reads and
 * `validation_failed` in writes, never with `not_found`.
 */
export const RecordIdFilter = z
  .string()
  .regex(recordIdPattern, { error: 'must be an id: 15 lower-case letters and digits' })
  .meta({ examples: ['mb3k9x2a7f0q1zd'] });

/** Slug of the record that a call is about. A malformed slug fails with `not_found`, like an unknown one. */
export const SlugAddress = addressOf(/^[a-z0-9-]{1,200}$/, 'Slug of the record', 'type-safe-apis');

/** Source of unpredictable bytes, such as `randomBytes` of `node:crypto`. `size` is their number. */
export type RandomBytes = (size: number) => Uint8Array;

export const base36 = '0123456789abcdefghijklmnopqrstuvwxyz';
export const base62 = `${base36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Returns `length` characters of `alphabet`, each with equal probability. `alphabet` must have 1 to 256 characters. */
export function randomText(alphabet: string, length: number, randomBytes: RandomBytes): string {
  const fair = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    const usable = randomBytes(length - text.length).filter((byte) => byte < fair);
    for (const byte of usable) text += alphabet.charAt(byte % alphabet.length);
  }
  return text;
}
