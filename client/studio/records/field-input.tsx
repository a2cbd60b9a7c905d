import { Autocomplete, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import type { Field, FieldKind } from '../../../shared/contract/fields.ts';
import { accessTierLabels } from '../../../shared/contract/resources/access-tier.ts';
import type { Values } from '../data/records.ts';
import type { FieldProblems } from '../forms/field-problems.ts';
import { choicesOf, exampleOf } from '../forms/input-props.ts';
import { MarkdownInput } from '../forms/markdown-input.tsx';
import { TimeInput } from '../forms/time-input.tsx';
import { describeProblem } from '../strings/failures.ts';
import { labelOf } from '../strings/names.ts';
import { strings } from '../strings/ui-strings.ts';
import { ImageInput } from './media/image-input.tsx';
import { TierInput } from './tier-input.tsx';

export interface FieldInputProps {
  name: string;
  field: Field;
  value: unknown;
  problem?: string | undefined;
  /** Suggested items, once loaded. */
  usual?: readonly string[] | undefined;
  onEnter?(): void;
  onChange(value: unknown): void;
  onLeave?(): void;
}

/** Input for a field, chosen by its kind. */
export function FieldInput(props: FieldInputProps) {
  const Input = inputs[props.field.kind];
  return <Input {...props} />;
}

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
      problem={describeProblem(form.problems[name])}
      onChange={(value) => form.set(name, value)}
    />
  ));

/** Returns the props that all inputs share: label, help, example and problem of the field. */
function sharedProps({ name, field, problem, onLeave }: FieldInputProps) {
  return {
    name,
    label: labelOf(name, field),
    description: field.help ?? '',
    placeholder: exampleOf(field),
    required: field.required,
    error: problem,
    onBlur: onLeave,
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function Line(props: FieldInputProps) {
  const { field, value, onChange } = props;
  const shared = sharedProps(props);
  if (field.choices === accessTierLabels)
    return <TierInput {...shared} value={textOf(value)} onChange={onChange} />;
  if (field.choices) {
    const choices = choicesOf(field.choices);
    return (
      <Autocomplete
        {...shared}
        placeholder={choices[0]?.label ?? ''}
        data={choices.map(({ label }) => label)}
        value={field.choices[textOf(value)] ?? textOf(value)}
        onChange={(typed) => onChange(choices.find(({ label }) => label === typed)?.value ?? typed)}
      />
    );
  }
  const type = lineTypes[field.kind] ?? 'text';
  return (
    <TextInput
      {...shared}
      type={type}
      value={textOf(value)}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

const lineTypes: Partial<Record<FieldKind, string>> = { url: 'url', email: 'email' };

const Paragraph = (props: FieldInputProps) => (
  <Textarea
    {...sharedProps(props)}
    autosize
    minRows={3}
    maxRows={12}
    value={textOf(props.value)}
    onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
  />
);

/** Input for a list: tags for short items, one line per item for sentences. */
function List(props: FieldInputProps) {
  const { field, value, usual = [], onEnter, onChange } = props;
  const { placeholder: _, ...shared } = sharedProps(props);
  const items = Array.isArray(value) ? value.map(String) : [];
  if (holdsSentences(field)) return <Lines {...props} items={items} />;
  return (
    <TagsInput
      {...shared}
      data={usual}
      value={items}
      onFocus={onEnter}
      onChange={onChange}
      splitChars={[',']}
      acceptValueOnBlur
    />
  );
}

function holdsSentences({ input }: Field): boolean {
  const { examples } = input.meta() ?? {};
  const items = Array.isArray(examples) ? examples.flat() : [];
  return items.some((item) => typeof item === 'string' && item.split(' ').length > 2);
}

function Lines(props: FieldInputProps & { items: readonly string[] }) {
  const { items, onChange } = props;
  const { name, label, error, description, onBlur } = sharedProps(props);
  return (
    <Textarea
      {...{ name, label, error }}
      description={`${description} ${strings.fields.onePerLine}`.trim()}
      autosize
      minRows={3}
      value={items.join('\n')}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? [] : currentTarget.value.split('\n'))
      }
      onBlur={() => {
        onChange(items.map((item) => item.trim()).filter((item) => item !== ''));
        onBlur?.();
      }}
    />
  );
}

const Choice = (props: FieldInputProps) => (
  <Select
    {...sharedProps(props)}
    data={choicesOf(props.field.choices ?? {})}
    value={textOf(props.value)}
    onChange={props.onChange}
  />
);

function Flag(props: FieldInputProps) {
  const { placeholder: _, required: __, ...shared } = sharedProps(props);
  return (
    <Switch
      {...shared}
      checked={props.value === true}
      onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
    />
  );
}

function Amount(props: FieldInputProps) {
  const { kind } = props.field;
  const value = typeof props.value === 'number' ? props.value : null;
  // Text that is not a complete number yet, such as `-`, `19.` or `1.0`.
  const [typed, setTyped] = useState<number | string>('');
  const shared = sharedProps(props);
  return (
    <NumberInput
      {...shared}
      decimalScale={kind === 'integer' ? 0 : 2}
      {...(kind !== 'integer' && { min: 0 })}
      value={numberIn(typed) === value ? typed : (value ?? '')}
      onChange={(next) => {
        setTyped(next);
        props.onChange(numberIn(next));
      }}
      onBlur={() => {
        setTyped('');
        shared.onBlur?.();
      }}
    />
  );
}

const numberIn = (typed: number | string) =>
  typed === '' || Number.isNaN(Number(typed)) ? null : Number(typed);

const TimestampField = (props: FieldInputProps) => (
  <TimeInput
    {...sharedProps(props)}
    value={props.value instanceof Date ? props.value : null}
    onChange={props.onChange}
  />
);

const PartialDate = (props: FieldInputProps) => (
  <TextInput
    {...sharedProps(props)}
    value={textOf(props.value)}
    onChange={({ currentTarget }) => props.onChange(currentTarget.value || null)}
  />
);

const Markdown = (props: FieldInputProps) => (
  <MarkdownInput {...sharedProps(props)} value={textOf(props.value)} onChange={props.onChange} />
);

function Image(props: FieldInputProps) {
  const { label, description, error } = sharedProps(props);
  return (
    <ImageInput
      {...{ label, description, error }}
      isAddress={props.field.kind === 'image_url'}
      value={textOf(props.value)}
      onChange={props.onChange}
    />
  );
}

const inputs: Record<FieldKind, ComponentType<FieldInputProps>> = {
  text: Line,
  slug: Line,
  url: Line,
  email: Line,
  reference: Line,
  image: Image,
  image_url: Image,
  paragraph: Paragraph,
  markdown: Markdown,
  list: List,
  choice: Choice,
  flag: Flag,
  integer: Amount,
  number: Amount,
  money: Amount,
  moment: TimestampField,
  partial_date: PartialDate,
};
