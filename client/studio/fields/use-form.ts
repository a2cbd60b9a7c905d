import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import { isApiError } from '../../sdk/index.ts';
import { isEqual } from '../records/equal.ts';
import { wordsFor } from '../texts/errors.ts';
import { type Problems, problemsIn, problemsOf } from './problems.ts';

interface FormOptions<Values extends object, Result> {
  initial: Values;
  /** What the service will take. */
  contract: z.ZodType;
  /** What is sent of the values; all of them when left out. */
  toInput?(values: Values): object;
  send(values: Values): Promise<Result>;
  onSent(result: Result, values: Values): void;
}

/** A form that is sent as a whole: the contract is asked before the service, and both put their problems at the fields. */
export function useForm<Values extends object, Result>(options: FormOptions<Values, Result>) {
  const { initial, contract, toInput = (values: Values): object => values, send, onSent } = options;
  const [values, setValues] = useState(initial);
  const [unchanged, setUnchanged] = useState(initial);
  const [problems, setProblems] = useState<Problems>({});
  const [refusals, setRefusals] = useState(0);
  const names = Object.keys(initial);
  const refuse = (found: Problems) => {
    setProblems(found);
    if (Object.keys(found).length > 0) setRefusals((known) => known + 1);
  };
  const sending = useMutation({
    mutationFn: send,
    onSuccess: (result, sent) => {
      setUnchanged(sent);
      onSent(result, sent);
    },
    onError: (error) => refuse(problemsIn(error, names)),
  });
  const isExplained = Object.keys(problems).length > 0;
  return {
    values,
    problems,
    isSending: sending.isPending,
    isChanged: !isEqual(values, sending.isPending ? sending.variables : unchanged),
    refusals,
    /** What is wrong with none of the fields. */
    failure: sending.error && !isExplained ? wordsOf(sending.error) : null,
    set: <Name extends keyof Values>(name: Name, value: Values[Name]) => {
      setValues((known) => ({ ...known, [name]: value }));
      setProblems(({ [String(name)]: _, ...others }) => others);
    },
    submit: () => {
      const found = problemsOf(contract, toInput(values));
      refuse(found);
      if (Object.keys(found).length === 0) sending.mutate(values);
    },
  };
}

/** A broken rule that belongs to no field is told as the service tells it. */
const wordsOf = (error: unknown) =>
  isApiError(error) && error.data.code === 'validation_failed' ? error.message : wordsFor(error);
