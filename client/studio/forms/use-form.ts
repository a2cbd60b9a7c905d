import { useDidUpdate } from '@mantine/hooks';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import type { Fields } from '../../../shared/contract/fields.ts';
import { isApiError } from '../../sdk/index.ts';
import { messageFor } from '../strings/errors.ts';
import { strings } from '../strings/ui-strings.ts';
import { useStore } from '../ui/store.ts';
import { toast, toastReason } from '../ui/toast.tsx';
import { afterSave, type Choice, settle, typeInto } from './edits.ts';
import { type FieldProblems, problemsIn, problemsOf } from './field-problems.ts';
import { useFormServices } from './form-context.tsx';
import { byName, createFormValues, type FormTarget, type Input } from './form-values.ts';
import { isConflict } from './update-with-retry.ts';

export interface FormOptions<Values extends object, Made> {
  /** Initial values. For an existing row they may change with its tag; edits stay on top. */
  initial: Values;
  /** Schema of the request. */
  contract: z.ZodType;
  /** Converts values to the request; the default sends them unchanged. */
  toInput?(values: Partial<Values>): object;
  way: FormTarget<Values, Made>;
  /** Fields in the contract, which determine how values are displayed in conflicts. */
  fields?: Fields;
  /**
   * Called after each successful send, with the created row or null for a change. `isTypedOn`: values were typed while it
   * was sent.
   */
  onSent(made: Made | null, values: Values, since: { isTypedOn: boolean }): void;
}

/** Conflicting fields, and the actions to resolve them. */
export interface Conflict {
  names: readonly string[];
  fields: Fields;
  mine: Input;
  theirs: Input;
  resolve(choices: Readonly<Record<string, Choice>>): void;
  /** Closes the dialog without a decision. */
  close(): void;
}

/**
 * Returns the state and actions of a form that `submit` sends. The contract validates values before the service does.
 * Both report problems per field. Values typed during a request are sent by the next one.
 */
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
  // A ref instead of the mutation's state, which updates a render later: a held Enter key submits again before that.
  const underWay = useRef<'once' | 'and again' | null>(null);
  const sending = useMutation({
    mutationFn: () => form.send(way, input()),
    onMutate: form.standing,
    onSuccess: (made, _, { values }) => onSent(made, values, { isTypedOn: isTypedOn() }),
    onError: (error) => {
      refuse(problemsIn(error, [...Object.keys(initial), ...Object.keys(toInput(initial))]));
      form.change({ isComparing: isConflict(error) });
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
    /** True if the outcome of an earlier request is unknown until the form is sent again. */
    isUnanswered,
    /** True if inputs are disabled, because a created row could not be updated with new values. */
    isFixed: isUnanswered && 'make' in way && !way.make.change,
    /** Error that does not belong to a field. */
    failure: sending.error && !isExplained && !conflict ? messageOf(sending.error) : null,
    set: <Name extends keyof Values & string>(name: Name, value: Values[Name]) => {
      const { saved: before, problems: found } = form.get();
      const { [name]: _, ...others } = found;
      form.change({
        typed: typeInto(form.get(), name, { value, base: before.values[name] }),
        problems: others,
      });
    },
    /** Sends the form. During a request, it is sent again afterwards if values were typed. */
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

/** Creates the form's store once. New saved values replace the initial ones when the tag changes. */
function useFormValues<Values extends object, Made>(options: FormOptions<Values, Made>) {
  const { initial, fields = {}, way } = options;
  const { storage } = useFormServices();
  const [form] = useState(() => createFormValues({ storage, initial, fields, way, tell: toastReason }));
  const tag = 'change' in way ? way.change.tag : undefined;
  useDidUpdate(() => form.change({ saved: { values: initial, tag } }), [tag]);
  return form;
}

/** Returns the message of an error. A validation error without a field keeps the service's own message. */
function messageOf(error: unknown): string {
  return isApiError(error) && error.data.code === 'validation_failed' ? error.message : messageFor(error);
}

interface DialogFormOptions<Values extends object, Made> extends Omit<FormOptions<Values, Made>, 'onSent'> {
  /** Key of the queries to refetch afterwards. */
  refreshes: QueryKey;
  onClose(): void;
  /** Returns the toast's text, or null for none. By default it reports that changes are saved. */
  done?(made: Made | null, values: Values): string | null;
}

/** Returns the state and actions of a form in a dialog, which closes when all typed values are sent. */
export function useDialogForm<Values extends object, Made = never>({
  refreshes,
  onClose,
  done = () => strings.common.changesSaved,
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
      // If this dialog was closed, `onClose` would close another one.
      if (isThere.current) onClose();
      const labels = done(made, values);
      if (labels !== null) toast(labels);
    },
  });
}
