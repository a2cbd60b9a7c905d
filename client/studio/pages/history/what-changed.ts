import type { Resource } from '../../../../shared/contract/resource.ts';
import type { RecordRevision } from '../../data/records.ts';
import { labelOf } from '../../texts/names.ts';
import { texts } from '../../texts/texts.ts';

/** The fields that a write has changed, or that it was the first one. */
export function whatChanged({ fields }: Resource, { revision, changed }: RecordRevision): string {
  if (revision === 1) return texts.history.created;
  return changed.map((name) => labelOf(name, fields[name])).join(', ') || texts.history.nothing;
}
