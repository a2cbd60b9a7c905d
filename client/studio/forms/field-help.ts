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

/** What there is to choose from, by what each is called. */
export const choicesOf = (labels: Readonly<Record<string, string>> = {}): FieldChoice[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));
