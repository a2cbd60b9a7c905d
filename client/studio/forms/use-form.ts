import { useDidUpdate } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { z } from 'zod';
import type { Fields } from '../../../shared/contract/fields.ts';
import { isApiError } from '../../sdk/index.ts';
import { wordsFor } from '../texts/errors.ts';
import { useStore } from '../ui/store.ts';
import { toastReason } from '../ui/toast.tsx';
import { afterSave, type Choice, settle, typeInto } from './edits.ts';
import { byName, createFormValues, type Input, type Way } from './form-values.ts';
import { type FieldProblems, problemsIn, problemsOf } from './problems.ts';
import { useFormServices } from './services.ts';
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
  const { initial, contract, fields = {}, way, onSent } = options;
  const { toInput = (values: Partial<Values>): object => values } = options;
  const form = useFormValues(options);
  const { saved, problems, refusals, isComparing } = useStore(form);
  const input = () => ({ ...toInput(form.toSend()) });
  const refuse = (found: FieldProblems) => {
    const isRefused = Object.keys(found).length > 0;
    form.change({ problems: found, refusals: form.get().refusals + (isRefused ? 1 : 0) });
  };
  const { sending, send, isTold } = useSending(form, {
    run: () => form.send(way, input()),
    mayGoOn: () => 'change' in way && Object.keys(problemsOf(contract, input())).length === 0,
    onSent,
    onError: (error) => {
      refuse(problemsIn(error, [...Object.keys(initial), ...Object.keys(toInput(initial))]));
      form.change({ isComparing: isOutrun(error) });
    },
  });
  const { pending, values, conflicts } = form.standing();
  const left = sending.isPending ? afterSave(pending, sending.context?.edits ?? {}) : pending;
  const isExplained = Object.keys(problems).length > 0;
  const isUnanswered = !sending.isPending && form.isUnanswered();
  const conflict: Conflict | null =
    isComparing && conflicts.length > 0
      ? {
          names: conflicts,
          fields,
          mine: byName(values),
          theirs: byName(saved.values),
          resolve: (choices) => {
            const { saved: theirs, typed } = form.get();
            form.change({ typed: settle(typed, byName(theirs.values), choices), isComparing: false });
            send();
          },
          close: () => form.change({ isComparing: false }),
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
      const { saved: before, problems: found } = form.get();
      const { [name]: _, ...others } = found;
      form.change({
        typed: typeInto(form.get(), name, { value, base: before.values[name] }),
        problems: others,
      });
    },
    submit: () => {
      if (isTold()) return;
      const found = problemsOf(contract, input());
      refuse(found);
      if (Object.keys(found).length === 0) send();
    },
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

interface SendingOptions<Values, Made> {
  run(): Promise<Made | null>;
  /** Whether what was typed since can be sent as well. */
  mayGoOn(): boolean;
  onSent(made: Made | null, values: Values): void;
  onError(error: unknown): void;
}

/** Sends a form, once at a time; what is typed on meanwhile follows where somebody told so. */
function useSending<Values extends object, Made>(
  form: ReturnType<typeof createFormValues<Values, Made>>,
  { run, mayGoOn, onSent, onError }: SendingOptions<Values, Made>,
) {
  // Not of the mutation, which tells the screen a moment later: keys that are held down are faster.
  const underWay = useRef<{ isToldAgain: boolean } | null>(null);
  const goesOn = () =>
    underWay.current?.isToldAgain && Object.keys(form.standing().edits).length > 0 && mayGoOn();
  const sending = useMutation({
    mutationFn: run,
    onMutate: form.standing,
    onSuccess: (made, _, { values }) => {
      if (!goesOn()) onSent(made, values);
    },
    onError,
    onSettled: (_, error) => {
      const isMoreToSend = !error && goesOn();
      underWay.current = null;
      if (isMoreToSend) send();
    },
  });
  const send = () => {
    underWay.current = { isToldAgain: false };
    sending.mutate();
  };
  return {
    sending,
    send,
    /** Notes that it is to be sent, where it is on its way. */
    isTold: () => {
      if (!underWay.current) return false;
      underWay.current.isToldAgain = true;
      return true;
    },
  };
}

/** A broken rule that belongs to no field is told as the service tells it. */
function wordsOf(error: unknown): string {
  return isApiError(error) && error.data.code === 'validation_failed' ? error.message : wordsFor(error);
}
