import type { Resource } from '../../../shared/contract/resource.ts';
import type { OwnRecord, Values } from '../data/records.ts';
import { type Edits, pendingEdits, typedValues } from '../fields/edits.ts';
import { problemsOf } from '../fields/problems.ts';
import { newId } from './new-id.ts';
import { isDraft } from './shape.ts';

interface Known {
  id: string;
  typed: Edits;
  /** As the service has it. */
  saved: OwnRecord | undefined;
}

export type Standing = ReturnType<typeof standingOf>;

/** How a record stands in its form: as the service has it, with what was typed on top. */
export function standingOf(resource: Resource, { id, typed, saved }: Known) {
  const isNew = id === newId;
  const pending = pendingEdits(typed, saved);
  const edits = typedValues(pending);
  const values: Values = { ...unsetOf(resource), ...saved, ...edits };
  return {
    isNew,
    pending,
    edits,
    hasEdits: Object.keys(edits).length > 0,
    values,
    isDraft: 'is_draft' in resource.fields && (isNew || isDraft(values)),
    /** What the contract says against it. */
    broken: isNew ? problemsOf(resource.create, edits) : problemsOf(resource.update, { id, ...edits }),
  };
}

/** What the fields of a record hold that nothing was typed into. */
export const unsetOf = ({ fields }: Resource): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, { unset }]) => [name, unset]));
