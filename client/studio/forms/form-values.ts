import type { Fields } from '../../../shared/contract/fields.ts';
import { texts } from '../strings/texts.ts';
import type { BrowserStorage } from '../ui/browser-storage.ts';
import { createStore } from '../ui/store.ts';
import {
  afterSave,
  changesSince,
  type Edits,
  overtaken,
  standingOf,
  type Typing,
  withoutNames,
} from './edits.ts';
import { createOnce } from './once.ts';
import type { FieldProblems } from './problems.ts';
import { sendNoted, writeOnTop } from './write-on-top.ts';

export type Input = Record<string, unknown>;

/** As the service has it. */
interface Saved<Values> {
  values: Values;
  /** Of its revision, where it has one and that is known. */
  tag?: string | undefined;
}

/** Of what is there already: what was typed is written, and nothing else. */
interface Change<Values> {
  /** Of the revision that the form was opened with. */
  tag?: string | undefined;
  /** Reads it as it is now. */
  read(): Promise<Saved<Values>>;
  write(input: Input, options: { ifMatch?: string | undefined }): Promise<unknown>;
}

/** Of what is made: once, however often it is sent. */
interface Make<Made> {
  /** Names it where the browser keeps what was sent and has no answer yet. */
  name: string;
  send(input: Input, options: { idempotencyKey: string }): Promise<Made>;
  /** Changes what was made to what was typed since. Left out, nothing can be typed until there is an answer. */
  change?: ((made: Made, input: Input) => Promise<unknown>) | undefined;
}

export type Way<Values, Made> = { change: Change<Values> } | { make: Make<Made> };

/** What a form holds, besides what is on its way. */
interface FormState<Values> extends Typing {
  saved: Saved<Values>;
  problems: FieldProblems;
  /** How often a field stood in the way. */
  refusals: number;
  /** Whether somebody is choosing between their values and somebody else's. */
  isComparing: boolean;
}

interface ValuesOptions<Values extends object, Made> {
  storage: BrowserStorage;
  initial: Values;
  fields: Fields;
  way: Way<Values, Made>;
  /** Says what failed besides, where the whole did not. */
  tell(message: string): void;
}

/** The values of a form, as the service has them and as they were typed, and how they get there. */
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
    const { edits, ...others } = standingOf(get(), byName(saved.values), fields);
    return { ...others, edits, values: withChanges(saved.values, edits) };
  };

  const write = async (changing: Change<Values>, input: Input) => {
    const [{ saved }, { pending, edits }] = [get(), standing()];
    if (Object.keys(edits).length === 0) return null;
    await writeOnTop({
      saved: saved.tag === undefined ? null : saved,
      read: async () => {
        const fresh = await changing.read();
        change({ saved: fresh });
        return fresh;
      },
      takesAway: ({ values }) =>
        overtaken({ typed: pending, sent: get().sent }, byName(values), fields).length > 0,
      write: ({ tag }) =>
        sendNoted({ read: get, change }, edits, () => changing.write(input, { ifMatch: tag })),
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
      await making.change?.(answer, Object.fromEntries(since)).catch(() => tell(texts.forms.sinceNotSaved));
    change({ typed: {} });
    return answer;
  };
  return {
    get,
    subscribe,
    change,
    standing,
    /** What is to be sent: of what is made all of it, else what was changed. */
    toSend: () => withChanges<Partial<Values>>(once ? initial : {}, standing().edits),
    isUnanswered: () => once?.unanswered() != null,
    /** Gives what was made; null for what was there already. `by` is how the screen has it by now. */
    send: (by: Way<Values, Made>, input: Input) =>
      'make' in by ? make(by.make, input) : write(by.change, input),
  };
}

export const byName = (values: object): Input => Object.fromEntries(Object.entries(values));

const withChanges = <Values extends object>(values: Values, changes: Input): Values => ({
  ...values,
  ...changes,
});

/** What an earlier page has sent of a form, as typed into it again. */
const editsOf = (input: Input, initial: object): Edits =>
  Object.fromEntries(
    Object.entries(initial).flatMap(([name, base]) =>
      name in input ? [[name, { value: input[name], base }] as const] : [],
    ),
  );

/** What has the moment of its last write for a revision. */
interface Dated {
  updated: Date;
}

interface Updates<Edited, Values> {
  valuesOf(edited: Edited): Values;
  /** Reads it as it is now. */
  read(): Promise<Edited>;
  update(input: Input, options: { ifMatch?: string | undefined }): Promise<unknown>;
}

/** How a form changes what is there. */
export function changeOf<Edited extends Dated, Values>(
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

const tagOf = ({ updated }: Dated) => `"${updated.getTime()}-"`;

interface RowWrites<Edited, Values, Made> extends Pick<Updates<Edited, Values>, 'valuesOf' | 'update'> {
  /** Names what is made. */
  name: string;
  read(id: string): Promise<Edited>;
  create(input: Input, options: { idempotencyKey: string }): Promise<Made>;
}

/** How a form makes a row, or changes the one that is there. */
export function wayOf<Edited extends Dated & { id: string }, Values, Made extends { id: string }>(
  edited: Edited | null,
  { name, valuesOf, read, create, update }: RowWrites<Edited, Values, Made>,
): Way<Values, Made> {
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
