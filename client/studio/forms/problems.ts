import type { z } from 'zod';
import { isApiError } from '../../sdk/index.ts';

/** What is wrong with which field. */
export type FieldProblems = Record<string, string>;

/** What the contract says against `values`. */
export function problemsOf(contract: z.ZodType, values: object): FieldProblems {
  const { error } = contract.safeParse(values);
  const named = (error?.issues ?? []).map(({ path, message }) => [String(path[0] ?? ''), message] as const);
  return firstOfEach(named);
}

/** What the service says against single fields, as far as its error names them. */
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
