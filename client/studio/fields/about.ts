import type { Field } from '../../../shared/contract/fields.ts';

/** What the contract says about a field for whoever fills it in. */
export interface AboutField {
  description: string;
  /** Shown where nothing has been typed yet. */
  example: string;
  /** Most characters. */
  maxLength: number | undefined;
  /** The values of a choice. */
  choices: readonly string[];
}

export function aboutField({ input }: Field): AboutField {
  const { description = '', examples = [] } = input.meta() ?? {};
  const [example] = Array.isArray(examples) ? examples : [];
  return {
    description: withoutSuggestions(description),
    example: typeof example === 'string' || typeof example === 'number' ? String(example) : '',
    maxLength: 'maxLength' in input && typeof input.maxLength === 'number' ? input.maxLength : undefined,
    choices: 'options' in input && Array.isArray(input.options) ? input.options.filter(isText) : [],
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** An input offers the usual values by itself. */
const withoutSuggestions = (description: string) =>
  description.replace(/; usual values: .*$/, '').replaceAll('`', '');
