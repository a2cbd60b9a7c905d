import type { Field } from '../../../../shared/contract/fields.ts';
import { partialDay } from '../../texts/moments.ts';

/** Text of a field's value in lists; empty when it isn't set. Times are shown by `Moment`. */
export function shownValue(value: unknown, { kind, choices }: Field): string {
  if (Array.isArray(value)) return value.join(', ');
  if (kind === 'money' && typeof value === 'number') return value.toFixed(2);
  if (value === null || value === undefined) return '';
  if (kind === 'partial_date') return partialDay(String(value));
  return choices?.[String(value)] ?? String(value);
}
