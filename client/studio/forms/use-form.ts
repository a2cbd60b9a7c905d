import { useDidUpdate } from '@mantine/hooks';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import type { Fields } from '../../../shared/contract/fields.ts';
import { isApiError } from '../../sdk/index.ts';
import { wordsFor } from '../strings/errors.ts';
import { texts } from '../strings/texts.ts';
import { useStore } from '../ui/store.ts';
import { toast, toastReason } from '../ui/toast.tsx';
import { afterSave, type Choice, settle, typeInto } from './edits.ts';
import { useFormServices } from './form-context.tsx';
import { byName, createFormValues, type Input, type Way } from './form-values.ts';
import { type FieldProblems, problemsIn, problemsOf } from './problems.ts';
import { isOutrun } from './write-on-top.ts';

export interface FormOptions<Values extends object, Made> {
  /** What it is opened with. Of what is there already it may become newer, by its tag: what was typed stays on top. */
  initial: Values;
  /** What the service will take. */
  contract: z.ZodType;
  /** What is sent of values; themselves when left out. */
  toInput?(values: Partial<Values>): object;
  way: Way<Values, Made>;
  /** Its fields, where the contract has them: they tell how values are shown. */
  fields?: Fields;
  /** Called after each send, with the created row or null for a change. `isTypedOn`: values were typed while it was sent. */
  onSent(made: Made | null, values: Values, since: { isTypedOn: boolean }): void;
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
  const { initial, contract, fields = {}, way, onSent } = options;
  const { toInput = (values: Partial<Values>): object => values } = options;
  const form = useFormValues(options);
  const { problems, refusals, isComparing } = useStore(form);
  const input = () => ({ ...toInput(form.toSend()) });
  const refuse = (found: FieldProblems) => {
    const isRefused = Object.keys(found).length > 0;
    form.change({ problems: found, refusals: form.get().refusals + (isRefused ? 1 : 0) });
  };
  const isTypedOn = () => Object.keys(form.standing().edits).length > 0;
  // Not of the mutation, which tells the screen a moment later: keys that are held down are faster.
  const underWay = useRef<'once' | 'and again' | null>(null);
  const sending = useMutation({
    mutationFn: () => form.send(way, input()),
    onMutate: form.standing,
    onSuccess: (made, _, { values }) => onSent(made, values, { isTypedOn: isTypedOn() }),
    onError: (error) => {
      refuse(problemsIn(error, [...Object.keys(initial), ...Object.keys(toInput(initial))]));
      form.change({ isComparing: isOutrun(error) });
    },
    onSettled: (_, error) => {
      const isToldAgain = underWay.current === 'and again';
      underWay.current = null;
      if (isToldAgain && !error && isTypedOn()) submit();
    },
  });
  const send = () => {
    underWay.current = 'once';
    sending.mutate();
  };
  const submit = () => {
    if (underWay.current) {
      underWay.current = 'and again';
      return;
    }
    const found = problemsOf(contract, input());
    refuse(found);
    if (Object.keys(found).length === 0) send();
  };
  const { pending, values, conflicts } = form.standing();
  const left = sending.isPending ? afterSave(pending, sending.context?.edits ?? {}) : pending;
  const isExplained = Object.keys(problems).length > 0;
  const isUnanswered = !sending.isPending && form.isUnanswered();
  const conflict = isComparing && conflicts.length > 0 ? conflictOf(form, { fields, send }) : null;
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
      const { saved: before, problems: found } = form.get();
      const { [name]: _, ...others } = found;
      form.change({
        typed: typeInto(form.get(), name, { value, base: before.values[name] }),
        problems: others,
      });
    },
    /** Sends it; while it is on its way, what is typed since follows. */
    submit,
  };
}

function conflictOf<Values extends object, Made>(
  form: ReturnType<typeof createFormValues<Values, Made>>,
  { fields, send }: { fields: Fields; send(): void },
): Conflict {
  const { values, conflicts: names } = form.standing();
  return {
    names,
    fields,
    mine: byName(values),
    theirs: byName(form.get().saved.values),
    resolve: (choices) => {
      const { saved: theirs, typed } = form.get();
      form.change({ typed: settle(typed, byName(theirs.values), choices), isComparing: false });
      send();
    },
    close: () => form.change({ isComparing: false }),
  };
}

/** What the form holds, and what is there as it is known by now. */
function useFormValues<Values extends object, Made>(options: FormOptions<Values, Made>) {
  const { initial, fields = {}, way } = options;
  const { storage } = useFormServices();
  const [form] = useState(() => createFormValues({ storage, initial, fields, way, tell: toastReason }));
  const tag = 'change' in way ? way.change.tag : undefined;
  useDidUpdate(() => form.change({ saved: { values: initial, tag } }), [tag]);
  return form;
}

/** A broken rule that belongs to no field is told as the service tells it. */
function wordsOf(error: unknown): string {
  return isApiError(error) && error.data.code === 'validation_failed' ? error.message : wordsFor(error);
}

interface DialogFormOptions<Values extends object, Made> extends Omit<FormOptions<Values, Made>, 'onSent'> {
  /** What shows what it changes, and is asked for again. */
  refreshes: QueryKey;
  onClose(): void;
  /** What is said once it is sent; that it is saved when left out, nothing for null. */
  done?(made: Made | null, values: Values): string | null;
}

/** A form in a dialog, which closes once all that was typed is sent. */
export function useDialogForm<Values extends object, Made = never>({
  refreshes,
  onClose,
  done = () => texts.common.changesSaved,
  ...options
}: DialogFormOptions<Values, Made>) {
  const queries = useQueryClient();
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  return useForm<Values, Made>({
    ...options,
    onSent: (made, values, { isTypedOn }) => {
      void queries.invalidateQueries({ queryKey: refreshes });
      if (isTypedOn) return;
      // Another dialog may stand there by now.
      if (isThere.current) onClose();
      const words = done(made, values);
      if (words !== null) toast(words);
    },
  });
}
