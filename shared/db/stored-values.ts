import type { Fields } from '../contract/fields.ts';
import { toDate } from '../contract/moments.ts';
import { omitUndefined } from '../omit-undefined.ts';

/** Input as it is stored: null and `""` become what the field reads as when unset, moments become Dates. */
export function storedValues(fields: Fields, values: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(omitUndefined(values)).map(([name, value]) => {
    const field = fields[name];
    if (value === null || value === '') return [name, field?.unset];
    const isMoment = typeof value === 'string' && field?.column === 'timestamptz(3)';
    return [name, isMoment ? toDate(value) : value];
  });
  return Object.fromEntries(entries);
}
