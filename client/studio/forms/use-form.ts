import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import type { Fields } from '../../../shared/contract/fields.ts';
import { isApiError } from '../../sdk/index.ts';
import { afterSave, type Choice, conflictsIn, pendingEdits, settle, typedValues, typeInto } from './edits.ts';
import { type FieldProblems, problemsIn, problemsOf } from './problems.ts';
import { byName, type Input, useFormValues, type Way, withChanges } from './use-form-values.ts';
import { isOutrun, wordsOfOutrun } from './write-on-top.ts';

export interface FormOptions<Values extends object, Made> {
  /** What it is opened with. */
  initial: Values;
  /** What the service will take. */
  contract: z.ZodType;
  /** What is sent of values; themselves when left out. */
  toInput?(values: Partial<Values>): object;
  way: Way<Values, Made>;
  /** Its fields, where the contract has them: they tell how values are shown. */
  fields?: Fields;
  /** Gets what was made; null for what was there already. */
  onSent(made: Made | null, values: Values): void;
}

/** Fields that two have changed, for somebody to say whose value counts. */
export interface Conflict {
  names: readonly string[];
  fields: Fields;
  mine: Input;
  theirs: Input;
  resolve(choices: Readonly<Record<string, Choice>>): void;
  /** Leaves it undecided. */
  close(): void;
}

/** A form that is sent when it is told: the contract is asked before the service, and both put their problems at the fields. */
export function useForm<Values extends object, Made = never>(options: FormOptions<Values, Made>) {
  const { initial, contract, toInput = (values: Partial<Values>): object => values, way, onSent } = options;
  const form = useFormValues({ initial, toInput, way });
  const { saved, typed, setTyped, readSaved, readSent, changesNow, inputNow, valuesNow } = form;
  const [problems, setProblems] = useState<FieldProblems>({});
  const [refusals, setRefusals] = useState(0);
  const [isComparing, setComparing] = useState(false);
  const refuse = (found: FieldProblems) => {
    setProblems(found);
    if (Object.keys(found).length > 0) setRefusals((current) => current + 1);
  };
  const sending = useMutation({
    mutationFn: form.send,
    onMutate: () => ({ changes: changesNow(), values: valuesNow() }),
    onSuccess: (made, _, { values }) => onSent(made, values),
    onError: (error) => {
      refuse(problemsIn(error, [...Object.keys(initial), ...Object.keys(toInput(initial))]));
      setComparing(isOutrun(error));
    },
  });
  const pending = pendingEdits(typed, byName(saved.values));
  const values = withChanges(saved.values, typedValues(pending));
  const left = sending.isPending ? afterSave(pending, sending.context?.changes ?? {}) : pending;
  const conflicts = conflictsIn(pending, byName(saved.values), readSent());
  const isExplained = Object.keys(problems).length > 0;
  const isUnanswered = !sending.isPending && form.isUnanswered();
  const conflict: Conflict | null =
    isComparing && conflicts.length > 0
      ? {
          names: conflicts,
          fields: options.fields ?? {},
          mine: byName(values),
          theirs: byName(saved.values),
          resolve: (choices) => {
            setTyped((current) => settle(current, byName(readSaved().values), choices));
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
      setTyped((current) => typeInto(current, name, { value, base: readSaved().values[name] }));
      setProblems(({ [name]: _, ...others }) => others);
    },
    submit: () => {
      const found = problemsOf(contract, inputNow());
      refuse(found);
      if (Object.keys(found).length === 0) sending.mutate();
    },
  };
}

/** A broken rule that belongs to no field is told as the service tells it. */
function wordsOf(error: unknown): string {
  return isApiError(error) && error.data.code === 'validation_failed' ? error.message : wordsOfOutrun(error);
}
