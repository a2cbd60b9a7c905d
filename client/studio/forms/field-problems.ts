import type { z } from 'zod';
import { isApiError } from '../../sdk/index.ts';

/** Problem messages by field name. */
export type FieldProblems = Record<string, string>;

/**
 * Returns the problems that a contract finds in `values`, the first one of each field. Empty if the values are valid.
 */
export function problemsOf(contract: z.ZodType, values: object): FieldProblems {
  const { error } = contract.safeParse(values);
  const named = (error?.issues ?? []).map(({ path, message }) => [String(path[0] ?? ''), message] as const);
  return firstOfEach(named);
}

/**
 * Returns the problems in the service's error `validation_failed`, the first one of each field in `names`. Empty for
 * other errors.
 */
export function problemsIn(error: unknown, names: readonly string[]): FieldProblems {
  if (!isApiError(error) || error.data.code !== 'validation_failed') return {};
  const structured = (error.data.fields ?? []).map(({ path, message }) => [path, message]);
  const written = error.message.split('; ').map((part) => {
    const [path = '', ...message] = part.split(': ');
    return [path, message.join(': ')];
  });
  const pairs = structured.length > 0 ? structured : written;
  const byField = pairs.map(([path = '', message = '']) => [path.split('.')[0] ?? '', message] as const);
  return firstOfEach(byField.filter(([name, message]) => names.includes(name) && message !== ''));
}

const firstOfEach = (named: readonly (readonly [string, string])[]): FieldProblems =>
  Object.fromEntries(named.toReversed());
