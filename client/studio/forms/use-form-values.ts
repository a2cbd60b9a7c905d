import { useCallback, useRef, useState } from 'react';
import { texts } from '../texts/texts.ts';
import { toastReason } from '../ui/toast.tsx';
import { afterSave, changesSince, conflictsIn, type Edits, pendingEdits, typedValues } from './edits.ts';
import { createOnce } from './once.ts';
import { useFormServices } from './services.ts';
import { writeOnTop } from './write-on-top.ts';

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

interface ValuesOptions<Values extends object, Made> {
  initial: Values;
  toInput(values: Partial<Values>): object;
  way: Way<Values, Made>;
}

/** The values of a form, as the service has them and as they were typed, and how they get there. */
export function useFormValues<Values extends object, Made>({
  initial,
  toInput,
  way,
}: ValuesOptions<Values, Made>) {
  const { storage } = useFormServices();
  const [once] = useState(() => ('make' in way ? createOnce(storage, way.make.name) : null));
  const [saved, setSaved, readSaved] = usePresent<Saved<Values>>(() => ({
    values: initial,
    ...('change' in way && { tag: way.change.tag }),
  }));
  const [typed, setTyped, readTyped] = usePresent<Edits>(() => editsOf(once?.unanswered() ?? {}, initial));
  const [, setSent, readSent] = usePresent<Input>({});
  const changesNow = () => typedValues(pendingEdits(readTyped(), byName(readSaved().values)));
  const inputNow = (): Input => ({ ...toInput(withChanges(once ? initial : {}, changesNow())) });

  const change = async ({ read, write }: Change<Values>) => {
    const [changes, input, { values, tag }] = [changesNow(), inputNow(), readSaved()];
    if (Object.keys(changes).length === 0) return null;
    await writeOnTop({
      saved: tag === undefined ? null : { values, tag },
      read: async () => {
        const fresh = await read();
        setSaved(() => fresh);
        return fresh;
      },
      takesAway: (fresh) => conflictsIn(readTyped(), byName(fresh.values), readSent()).length > 0,
      write: (known) => {
        setSent((before) => ({ ...before, ...changes }));
        return write(input, { ifMatch: known.tag });
      },
    });
    setSaved((current) => ({ values: withChanges(current.values, changes) }));
    setTyped((current) => afterSave(current, changes));
    return null;
  };
  const make = async (making: Make<Made>) => {
    const input = inputNow();
    if (!once) return null;
    const { answer, sent } = await once.send(input, making.send);
    const since = Object.entries(changesSince(sent, input, {})).filter(([name]) => name in initial);
    if (since.length > 0)
      await making
        .change?.(answer, Object.fromEntries(since))
        .catch(() => toastReason(texts.forms.sinceNotSaved));
    setTyped(() => ({}));
    return answer;
  };
  return {
    saved,
    typed,
    setTyped,
    readSaved,
    readSent,
    changesNow,
    inputNow,
    valuesNow: () => withChanges(readSaved().values, changesNow()),
    isUnanswered: () => once?.unanswered() != null,
    /** Gives what was made; null for what was there already. */
    send: () => ('make' in way ? make(way.make) : change(way.change)),
  };
}

export const byName = (values: object): Input => Object.fromEntries(Object.entries(values));

export const withChanges = <Values extends object>(values: Values, changes: Input): Values => ({
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

/** State that can also be read as it is now: by what was begun before the screen was last drawn, or ends when it is gone. */
function usePresent<Value>(initial: Value | (() => Value)) {
  const [drawn, setDrawn] = useState(initial);
  const present = useRef(drawn);
  const change = useCallback((next: (known: Value) => Value) => {
    const value = next(present.current);
    present.current = value;
    setDrawn(() => value);
  }, []);
  const read = useCallback(() => present.current, []);
  return [drawn, change, read] as const;
}
