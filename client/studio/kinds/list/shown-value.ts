import type { Field } from '../../../../shared/contract/fields.ts';
import { briefly, partialDay } from '../../texts/moments.ts';

/** A field's value as a list shows it; empty when it isn't set. */
export function shownValue(value: unknown, { kind, choices }: Field): string {
  if (value instanceof Date) return briefly(value);
  if (Array.isArray(value)) return value.join(', ');
  if (kind === 'money' && typeof value === 'number') return value.toFixed(2);
  if (value === null || value === undefined) return '';
  if (kind === 'partial_date') return partialDay(String(value));
  return choices?.[String(value)] ?? String(value);
}
