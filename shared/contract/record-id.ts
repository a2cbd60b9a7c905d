import { z } from 'zod';

/** 15 of `a-z 0-9`: 8 for the creation time, 7 at random, so ids sort by age. */
export const recordIdPattern = /^[a-z0-9]{15}$/;

/** Room for 8 base-36 digits of milliseconds, which last until the year 2059. */
const timeDigits = 8;
const randomDigits = 7;

/** A new id for a record created at `now`. */
export const newRecordId = (now: Date, randomBytes: RandomBytes) =>
  now.getTime().toString(36).padStart(timeDigits, '0') + randomText(base36, randomDigits, randomBytes);

/** When the record with this id was created. */
export const createdOf = (id: string) => new Date(Number.parseInt(id.slice(0, timeDigits), 36));

/** What a call is about. Its issue has the code that it answers with: a malformed address is an address of nothing. */
const addressOf = (pattern: RegExp, description: string, example: string) =>
  z
    .string()
    .refine((address) => pattern.test(address), { error: 'not found', params: { code: 'not_found' } })
    .meta({ description, pattern: pattern.source, examples: [example] });

/** The id of the record a call is about. A malformed one is answered as an unknown one: `not_found`. */
export const RecordId = addressOf(recordIdPattern, 'Record ID: 15 letters and digits', 'mb3k9x2a7f0q1zd');

/** What a call about one record takes, if nothing else. */
export const ById = z.strictObject({ id: RecordId });

/** The id of a record that a list, or the choice of a site, is narrowed by. Not what the call is about, so a malformed one is refused like any input. */
export const RecordIdFilter = z
  .string()
  .regex(recordIdPattern, { error: 'must be an id: 15 lower-case letters and digits' })
  .meta({ examples: ['mb3k9x2a7f0q1zd'] });

/** The slug a call is about. A malformed one is answered as an unknown one: `not_found`. */
export const SlugAddress = addressOf(/^[a-z0-9-]{1,200}$/, 'Slug of the record', 'type-safe-apis');

/** A source of unpredictable bytes, such as `randomBytes` of `node:crypto`. */
export type RandomBytes = (size: number) => Uint8Array;

export const base36 = '0123456789abcdefghijklmnopqrstuvwxyz';
export const base62 = `${base36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** `length` characters of `alphabet` (at most 256), each equally likely. */
export function randomText(alphabet: string, length: number, randomBytes: RandomBytes): string {
  const fair = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    const usable = randomBytes(length - text.length).filter((byte) => byte < fair);
    for (const byte of usable) text += alphabet.charAt(byte % alphabet.length);
  }
  return text;
}
