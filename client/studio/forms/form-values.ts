import type { Fields } from '../../../shared/contract/fields.ts';
import { strings } from '../strings/ui-strings.ts';
import type { BrowserStorage } from '../ui/browser-storage.ts';
import { createStore } from '../ui/store.ts';
import {
  afterSave,
  changesSince,
  conflictingFields,
  type EditState,
  type Edits,
  formStateOf,
  withoutNames,
} from './edits.ts';
import type { FieldProblems } from './field-problems.ts';
import { createOnce } from './idempotent-create.ts';
import { sendRecorded, updateWithRetry } from './update-with-retry.ts';

export type Input = Record<string, unknown>;

interface SavedVersion<Values> {
  values: Values;
  /** Entity tag of the revision that has these values; undefined if unknown. */
  tag?: string | undefined;
}

/** Change of an existing row. Only edited fields are written. */
interface Change<Values> {
  /** Entity tag of the revision that the form was opened with. */
  tag?: string | undefined;
  read(): Promise<SavedVersion<Values>>;
  write(input: Input, options: { ifMatch?: string | undefined }): Promise<unknown>;
}

/** Creation of a row. It is idempotent, so it can be sent again. */
interface Make<Made> {
  /** Name of the unanswered request in browser storage. */
  name: string;
  send(input: Input, options: { idempotencyKey: string }): Promise<Made>;
  /**
   * Updates the created row with values typed since the request. Without it, the form is disabled until the answer arrives.
   */
  change?: ((made: Made, input: Input) => Promise<unknown>) | undefined;
}

export type FormTarget<Values, Made> = { change: Change<Values> } | { make: Make<Made> };

/** State of a form, without the request in flight. */
interface FormState<Values> extends EditState {
  saved: SavedVersion<Values>;
  problems: FieldProblems;
  /** Number of refusals since the form was opened. */
  refusals: number;
  /** True while the conflict dialog is open. */
  isComparing: boolean;
}

interface ValuesOptions<Values extends object, Made> {
  storage: BrowserStorage;
  initial: Values;
  fields: Fields;
  way: FormTarget<Values, Made>;
  /** Reports that a part of the form failed although the main request succeeded. */
  tell(message: string): void;
}

/** Creates the store of a form: saved values, edits, and the requests that write them. */
export function createFormValues<Values extends object, Made>(options: ValuesOptions<Values, Made>) {
  const { storage, initial, fields, way, tell } = options;
  const once = 'make' in way ? createOnce(storage, way.make.name) : null;
  const { get, set, subscribe } = createStore<FormState<Values>>({
    saved: { values: initial, ...('change' in way && { tag: way.change.tag }) },
    typed: editsOf(once?.unanswered() ?? {}, initial),
    sent: {},
    problems: {},
    refusals: 0,
    isComparing: false,
  });
  const change = (changes: Partial<FormState<Values>>) => set({ ...get(), ...changes });
  const standing = () => {
    const { saved } = get();
    const { edits, ...others } = formStateOf(get(), byName(saved.values), fields);
    return { ...others, edits, values: withChanges(saved.values, edits) };
  };

  const write = async (changing: Change<Values>, input: Input) => {
    const [{ saved }, { pending, edits }] = [get(), standing()];
    if (Object.keys(edits).length === 0) return null;
    await updateWithRetry({
      saved: saved.tag === undefined ? null : saved,
      read: async () => {
        const fresh = await changing.read();
        change({ saved: fresh });
        return fresh;
      },
      wouldOverwrite: ({ values }) =>
        conflictingFields({ typed: pending, sent: get().sent }, byName(values), fields).length > 0,
      write: ({ tag }) =>
        sendRecorded({ read: get, change }, edits, () => changing.write(input, { ifMatch: tag })),
    });
    change({
      saved: { values: withChanges(get().saved.values, edits) },
      typed: afterSave(get().typed, edits),
      sent: withoutNames(get().sent, edits),
    });
    return null;
  };
  const make = async (making: Make<Made>, input: Input) => {
    if (!once) return null;
    const { answer, sent } = await once.send(input, making.send);
    const since = Object.entries(changesSince(sent, input, {})).filter(([name]) => name in initial);
    if (since.length > 0)
      await making.change?.(answer, Object.fromEntries(since)).catch(() => tell(strings.forms.sinceNotSaved));
    change({ typed: {} });
    return answer;
  };
  return {
    get,
    subscribe,
    change,
    standing,
    /** Returns the values to send: all of them for a creation, only edited ones for a change. */
    toSend: () => withChanges<Partial<Values>>(once ? initial : {}, standing().edits),
    isUnanswered: () => once?.unanswered() != null,
    /**
     * Sends the form. Resolves to the created row, or to null for a change. Rejects with the error of the request. `by`
     * states whether a row is created or changed, and by which calls.
     */
    send: (by: FormTarget<Values, Made>, input: Input) =>
      'make' in by ? make(by.make, input) : write(by.change, input),
  };
}

export const byName = (values: object): Input => Object.fromEntries(Object.entries(values));

const withChanges = <Values extends object>(values: Values, changes: Input): Values => ({
  ...values,
  ...changes,
});

/** Returns an edit for each field of `initial` that an unanswered request of an earlier page contains. */
const editsOf = (input: Input, initial: object): Edits =>
  Object.fromEntries(
    Object.entries(initial).flatMap(([name, base]) =>
      name in input ? [[name, { value: input[name], base }] as const] : [],
    ),
  );

/** A row whose revision is the time of its last write. */
interface VersionedValues {
  updated: Date;
}

interface Updates<Edited, Values> {
  valuesOf(edited: Edited): Values;
  read(): Promise<Edited>;
  update(input: Input, options: { ifMatch?: string | undefined }): Promise<unknown>;
}

/**
 * Returns the `change` option of a form, with which it reads and updates the row `edited`. Entity tags are made from
 * `updated`. `update` gets the tag of the last read as `ifMatch`, so that it fails if the row has changed since.
 */
export function changeOf<Edited extends VersionedValues, Values>(
  edited: Edited,
  { valuesOf, read, update }: Updates<Edited, Values>,
) {
  return {
    tag: tagOf(edited),
    read: async () => {
      const now = await read();
      return { values: valuesOf(now), tag: tagOf(now) };
    },
    write: update,
  };
}

const tagOf = ({ updated }: VersionedValues) => `"${updated.getTime()}-"`;

interface RowWrites<Edited, Values, Made> extends Pick<Updates<Edited, Values>, 'valuesOf' | 'update'> {
  /** Name of the creation in browser storage. */
  name: string;
  read(id: string): Promise<Edited>;
  create(input: Input, options: { idempotencyKey: string }): Promise<Made>;
}

/** Returns the `way` option of a form. If `edited` is null, the form creates a row; otherwise it changes that row. */
export function wayOf<Edited extends VersionedValues & { id: string }, Values, Made extends { id: string }>(
  edited: Edited | null,
  { name, valuesOf, read, create, update }: RowWrites<Edited, Values, Made>,
): FormTarget<Values, Made> {
  if (!edited)
    return { make: { name, send: create, change: ({ id }, input) => update({ id, ...input }, {}) } };
  const { id } = edited;
  return {
    change: changeOf(edited, {
      valuesOf,
      read: () => read(id),
      update: (input, options) => update({ id, ...input }, options),
    }),
  };
}
