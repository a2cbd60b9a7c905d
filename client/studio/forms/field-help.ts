import type { Field } from '../../../shared/contract/fields.ts';

/** What is shown where nothing has been typed yet. */
export function exampleOf({ input }: Field): string {
  const { examples = [] } = input.meta() ?? {};
  const [example] = Array.isArray(examples) ? examples : [];
  return typeof example === 'string' || typeof example === 'number' ? String(example) : '';
}

export interface FieldChoice {
  value: string;
  label: string;
}

/** Its choices, or usual values, for inputs that offer them. */
export const choicesOf = ({ choices = {} }: Pick<Field, 'choices'>): FieldChoice[] =>
  Object.entries(choices).map(([value, label]) => ({ value, label }));
