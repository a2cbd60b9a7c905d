import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import type { FieldKind } from '../../../shared/contract/fields.ts';
import { isApiError } from '../../sdk/index.ts';
import { useKept } from '../data/api.tsx';
import { createOnce } from '../data/once.ts';
import { isOutrun, writeOnTop } from '../data/write-on-top.ts';
import { wordsFor, wordsForCode } from '../texts/errors.ts';
import { texts } from '../texts/texts.ts';
import { sayReason } from '../ui/toast.tsx';
import {
  afterSave,
  type Choice,
  changesSince,
  conflictsIn,
  type Edits,
  pendingEdits,
  settle,
  typedValues,
  typeInto,
} from './edits.ts';
import { type Problems, problemsIn, problemsOf } from './problems.ts';
import { usePresent } from './use-present.ts';

type Input = Record<string, unknown>;

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

interface FormOptions<Values extends object, Made> {
  /** What it is opened with. */
  initial: Values;
  /** What the service will take. */
  contract: z.ZodType;
  /** What is sent of values; themselves when left out. */
  toInput?(values: Partial<Values>): object;
  way: { change: Change<Values> } | { make: Make<Made> };
  /** What kind of field one is; it tells how its values are shown. */
  kindOf?(name: string): FieldKind | undefined;
  /** Gets what was made; null for what was there already. */
  onSent(made: Made | null, values: Values): void;
}

/** Fields that two have changed, for somebody to say whose value counts. */
export interface Conflict {
  names: readonly string[];
  kindOf(name: string): FieldKind;
  mine: Input;
  theirs: Input;
  resolve(choices: Readonly<Record<string, Choice>>): void;
  /** Leaves it undecided. */
  close(): void;
}

/** A form that is sent when it is told: the contract is asked before the service, and both put their problems at the fields. */
export function useForm<Values extends object, Made = never>(options: FormOptions<Values, Made>) {
  const { initial, contract, toInput = (values: Partial<Values>): object => values, way, onSent } = options;
  const { storage } = useKept();
  const [once] = useState(() => ('make' in way ? createOnce(storage, way.make.name) : null));
  const [saved, setSaved, readSaved] = usePresent<Saved<Values>>(() => ({
    values: initial,
    ...('change' in way && { tag: way.change.tag }),
  }));
  const [typed, setTyped, readTyped] = usePresent<Edits>(() => editsOf(once?.unanswered() ?? {}, initial));
  const [, setSent, readSent] = usePresent<Input>({});
  const [problems, setProblems] = useState<Problems>({});
  const [refusals, setRefusals] = useState(0);
  const [isComparing, setComparing] = useState(false);
  const refuse = (found: Problems) => {
    setProblems(found);
    if (Object.keys(found).length > 0) setRefusals((known) => known + 1);
  };
  const changesNow = () => typedValues(pendingEdits(readTyped(), byName(readSaved().values)));
  const inputNow = (): Input => ({ ...toInput(withChanges(once ? initial : {}, changesNow())) });

  const change = async ({ read, write }: Change<Values>) => {
    const [changes, input, { values, tag }] = [changesNow(), inputNow(), readSaved()];
    if (Object.keys(changes).length === 0) return null;
    await writeOnTop({
      known: tag === undefined ? null : { values, tag },
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
    setSaved((known) => ({ values: withChanges(known.values, changes) }));
    setTyped((known) => afterSave(known, changes));
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
        .catch(() => sayReason(texts.forms.sinceNotSaved));
    setTyped(() => ({}));
    return answer;
  };
  const sending = useMutation({
    mutationFn: () => ('make' in way ? make(way.make) : change(way.change)),
    onMutate: () => ({ changes: changesNow(), values: valuesNow() }),
    onSuccess: (made, _, { values }) => onSent(made, values),
    onError: (error) => {
      refuse(problemsIn(error, [...Object.keys(initial), ...Object.keys(toInput(initial))]));
      setComparing(isOutrun(error));
    },
  });
  const pending = pendingEdits(typed, byName(saved.values));
  const values = withChanges(saved.values, typedValues(pending));
  const valuesNow = () => withChanges(readSaved().values, changesNow());
  const left = sending.isPending ? afterSave(pending, sending.context?.changes ?? {}) : pending;
  const conflicts = conflictsIn(pending, byName(saved.values), readSent());
  const isExplained = Object.keys(problems).length > 0;
  const isUnanswered = !sending.isPending && once?.unanswered() != null;
  const conflict: Conflict | null =
    isComparing && conflicts.length > 0
      ? {
          names: conflicts,
          kindOf: (name) => options.kindOf?.(name) ?? 'text',
          mine: byName(values),
          theirs: byName(saved.values),
          resolve: (choices) => {
            setTyped((known) => settle(known, byName(readSaved().values), choices));
            setComparing(false);
            sending.mutate();
          },
          close: () => setComparing(false),
        }
      : null;
  return {
    values,
    problems,
    isSending: sending.isPending,
    isChanged: Object.keys(left).length > 0,
    refusals,
    conflict,
    /** Whether what was sent may have been done: nobody knows until it is sent again. */
    isUnanswered,
    /** Whether nothing can be typed, since it could not be brought to what may have been made. */
    isFixed: isUnanswered && 'make' in way && !way.make.change,
    /** What is wrong with none of the fields. */
    failure: sending.error && !isExplained && !conflict ? wordsOf(sending.error) : null,
    set: <Name extends keyof Values & string>(name: Name, value: Values[Name]) => {
      setTyped((known) => typeInto(known, name, value, readSaved().values[name]));
      setProblems(({ [name]: _, ...others }) => others);
    },
    submit: () => {
      const found = problemsOf(contract, inputNow());
      refuse(found);
      if (Object.keys(found).length === 0) sending.mutate();
    },
  };
}

const byName = (values: object): Input => Object.fromEntries(Object.entries(values));

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

/** A broken rule that belongs to no field is told as the service tells it. */
function wordsOf(error: unknown): string {
  if (isOutrun(error)) return wordsForCode('precondition_failed');
  return isApiError(error) && error.data.code === 'validation_failed' ? error.message : wordsFor(error);
}
