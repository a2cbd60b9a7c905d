import type { Field } from '../../../shared/contract/fields.ts';
import type { Values } from '../data/records.ts';
import type { FieldProblems } from '../forms/problems.ts';
import { FieldInput } from './field-input.tsx';

interface FieldInputsProps {
  fields: readonly (readonly [name: string, field: Field])[];
  form: { values: Values; problems: FieldProblems; set(name: string, value: unknown): void };
}

export const FieldInputs = ({ fields, form }: FieldInputsProps) =>
  fields.map(([name, field]) => (
    <FieldInput
      key={name}
      name={name}
      field={field}
      value={form.values[name]}
      problem={form.problems[name]}
      onChange={(value) => form.set(name, value)}
    />
  ));
