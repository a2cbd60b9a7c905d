import { Autocomplete, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import type { Field, FieldKind } from '../../../shared/contract/fields.ts';
import { capitalised, labelOf } from '../texts/names.ts';
import { aboutField } from './about.ts';
import { LinesInput } from './lines-input.tsx';
import { MarkdownInput } from './markdown-input.tsx';
import { MomentInput } from './moment-input.tsx';

export interface FieldInputProps {
  name: string;
  field: Field;
  value: unknown;
  problem?: string | undefined;
  onChange(value: unknown): void;
  onLeave?(): void;
}

/** The input for a field, chosen by its kind. */
export function FieldInput(props: FieldInputProps) {
  const Input = inputs[props.field.kind];
  return <Input {...props} />;
}

/** What all inputs share: label, help, example and problem of the field. */
function frameOf({ name, field, problem, onLeave }: FieldInputProps) {
  const { description, example } = aboutField(field);
  return {
    name,
    label: labelOf(name),
    description,
    placeholder: example,
    required: field.required,
    withAsterisk: false,
    error: problem,
    onBlur: onLeave,
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function Line(props: FieldInputProps) {
  const { field, value, onChange } = props;
  const frame = frameOf(props);
  if (field.suggestions) {
    return (
      <Autocomplete {...frame} data={[...field.suggestions]} value={textOf(value)} onChange={onChange} />
    );
  }
  const type = lineTypes[field.kind] ?? 'text';
  return (
    <TextInput
      {...frame}
      type={type}
      value={textOf(value)}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

const lineTypes: Partial<Record<FieldKind, string>> = { url: 'url', email: 'email' };

const Paragraph = (props: FieldInputProps) => (
  <Textarea
    {...frameOf(props)}
    autosize
    minRows={3}
    maxRows={12}
    value={textOf(props.value)}
    onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
  />
);

/** Short items are tags; sentences get a line each. */
function List(props: FieldInputProps) {
  const items = Array.isArray(props.value) ? props.value.map(String) : [];
  if (holdsSentences(props.field))
    return <LinesInput {...frameOf(props)} items={items} onChange={props.onChange} />;
  const { placeholder: _, ...frame } = frameOf(props);
  return (
    <TagsInput {...frame} value={items} onChange={props.onChange} splitChars={[',']} acceptValueOnBlur />
  );
}

function holdsSentences({ input }: Field): boolean {
  const { examples } = input.meta() ?? {};
  const items = Array.isArray(examples) ? examples.flat() : [];
  return items.some((item) => typeof item === 'string' && item.split(' ').length > 2);
}

const Choice = (props: FieldInputProps) => (
  <Select
    {...frameOf(props)}
    data={aboutField(props.field).choices.map((value) => ({ value, label: capitalised(value) }))}
    value={textOf(props.value)}
    allowDeselect={false}
    onChange={props.onChange}
  />
);

function Flag(props: FieldInputProps) {
  const { placeholder: _, required: __, withAsterisk: ___, ...frame } = frameOf(props);
  return (
    <Switch
      {...frame}
      checked={props.value === true}
      onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
    />
  );
}

function Amount(props: FieldInputProps) {
  const { kind } = props.field;
  const value = typeof props.value === 'number' ? props.value : null;
  // On the way to a number there are texts that no number reads as: `-`, `19.`, `1.0`.
  const [typed, setTyped] = useState<number | string>('');
  const frame = frameOf(props);
  return (
    <NumberInput
      {...frame}
      decimalScale={kind === 'integer' ? 0 : 2}
      {...(kind !== 'integer' && { min: 0 })}
      value={numberIn(typed) === value ? typed : (value ?? '')}
      onChange={(next) => {
        setTyped(next);
        props.onChange(numberIn(next));
      }}
      onBlur={() => {
        setTyped('');
        frame.onBlur?.();
      }}
    />
  );
}

const numberIn = (typed: number | string) =>
  typed === '' || Number.isNaN(Number(typed)) ? null : Number(typed);

const Moment = (props: FieldInputProps) => (
  <MomentInput
    {...frameOf(props)}
    value={props.value instanceof Date ? props.value : null}
    onChange={props.onChange}
  />
);

const PartialDate = (props: FieldInputProps) => (
  <TextInput
    {...frameOf(props)}
    value={textOf(props.value)}
    onChange={({ currentTarget }) => props.onChange(currentTarget.value || null)}
  />
);

const Markdown = (props: FieldInputProps) => (
  <MarkdownInput {...frameOf(props)} value={textOf(props.value)} onChange={props.onChange} />
);

const inputs: Record<FieldKind, ComponentType<FieldInputProps>> = {
  text: Line,
  slug: Line,
  url: Line,
  email: Line,
  reference: Line,
  image: Line,
  paragraph: Paragraph,
  markdown: Markdown,
  list: List,
  choice: Choice,
  flag: Flag,
  integer: Amount,
  number: Amount,
  money: Amount,
  moment: Moment,
  partial_date: PartialDate,
};
