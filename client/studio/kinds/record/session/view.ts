import type { z } from 'zod';
import type { Resource } from '../../../../../shared/contract/resource.ts';
import { newId, type OwnRecord, type Values } from '../../../data/records.ts';
import { isDraft, shapeOf, titleOf } from '../../../data/shape.ts';
import { standingOf, type Typing, withoutNames } from '../../../forms/edits.ts';
import { type FieldProblems, problemsIn, problemsOf } from '../../../forms/problems.ts';
import { isOutrun } from '../../../forms/write-on-top.ts';
import { texts } from '../../../texts/texts.ts';

/** What a session remembers of a record's form, besides the record as the service has it. */
export interface RecordSessionState extends Typing {
  /** `newId` until the record is made. */
  id: string;
  /** What is on its way to the service. */
  sending: Values | null;
  /** Why the last save failed. */
  failure: unknown;
  /** Why the record could not be read. */
  loadError: unknown;
  /** What the service said against single fields. */
  refused: FieldProblems;
  /** How many times publishing was asked for and has not ended. */
  publishes: number;
  isOnline: boolean;
  /** Whether somebody is choosing between their values and somebody else's. */
  isComparing: boolean;
  /** Who has written the record besides. */
  writer: string;
}

export type RecordView = ReturnType<typeof viewOf>;

/** How a record stands in its form: as the service has it, with what was typed on top. */
export function viewOf(resource: Resource, state: RecordSessionState, saved: OwnRecord | undefined) {
  const { id, sending, failure, loadError, refused, publishes, isOnline, writer } = state;
  const isNew = id === newId;
  const { pending, edits, conflicts } = standingOf(state, saved, resource.fields);
  const values: Values = { ...unsetOf(resource), ...saved, ...edits };
  const broken = isNew ? problemsOf(resource.create, edits) : problemsOf(resource.update, { id, ...edits });
  const problems = { ...broken, ...refused };
  const fit = withoutNames(edits, problems);
  const isOfDraft = 'is_draft' in resource.fields && (isNew || isDraft(values));
  return {
    id,
    isNew,
    saved,
    pending,
    edits,
    hasEdits: Object.keys(edits).length > 0,
    values,
    title: titleOf(shapeOf(resource), values) || texts.records.untitled,
    isDraft: isOfDraft,
    /** What the contract says against it. */
    broken,
    /** The same, with what the service said. */
    problems,
    /** Edits that nothing is said against. */
    fit,
    /** Fields that somebody else has changed while they were typed into. */
    conflicts,
    writer,
    isComparing: state.isComparing && conflicts.length > 0,
    isSaving: sending !== null,
    isPublishing: publishes > 0 || sending?.is_draft === false,
    isSavedByItself: isOfDraft && !(isNew && isBroken(resource.create, fit)),
    isOffline: !isOnline,
    loadError,
    // That somebody was faster is told as a conflict, or is none.
    saveError: isOutrun(failure) ? null : failure,
    /** Whether it is only fields that were typed into that stand in the way. */
    isExplained: Object.keys(problemsIn(failure, Object.keys(edits))).length > 0,
  };
}

const isBroken = (contract: z.ZodType, values: Values) =>
  Object.keys(problemsOf(contract, values)).length > 0;

/** What the fields of a record hold that nothing was typed into. */
export const unsetOf = ({ fields }: Resource): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, { unset }]) => [name, unset]));
