import { Checkbox, Group, NumberInput, SegmentedControl, Stack, TagsInput, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import type { FieldFilter } from '../../../../shared/contract/filters.ts';
import type { SearchParams } from '../../data/search-params.ts';
import { choicesOf } from '../../forms/input-props.ts';
import { labelOf } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import type { FilteredField } from './list-search.ts';

interface FilterEditorProps {
  field: FilteredField;
  search: SearchParams;
  onChange(changes: SearchParams): void;
}

/** Inputs for the filters of one field, one per question that its kind allows. */
export default function FilterEditor({ field, search, onChange }: FilterEditorProps) {
  const inputs = field.questions.map((filter) => (
    <QuestionInput
      key={filter.parameter}
      field={field}
      filter={filter}
      values={[search[filter.parameter] ?? []].flat()}
      onChange={(values) => onChange({ [filter.parameter]: values })}
    />
  ));
  // Focus the first input here, because the popover moved the focus before this component had loaded.
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => container.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={container}>{inputs.length === 1 ? <Stack>{inputs}</Stack> : <Group grow>{inputs}</Group>}</div>
  );
}

interface QuestionInputProps {
  field: FilteredField;
  filter: FieldFilter;
  values: string[];
  onChange(values: string[]): void;
}

const labels = {
  from: strings.lists.from,
  before: strings.lists.before,
  min: strings.lists.atLeast,
  max: strings.lists.atMost,
};

function QuestionInput({ field, filter, values, onChange }: QuestionInputProps): ReactNode {
  const [value = ''] = values;
  switch (filter.question) {
    case 'any':
      return <AnyOf field={field} values={values} onChange={onChange} />;
    case 'is':
      return (
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={labelOf(field.name, field.field)}
          data={[
            { value: 'true', label: strings.lists.yes },
            { value: 'false', label: strings.lists.no },
          ]}
          value={value}
          onChange={(next) => onChange([next])}
        />
      );
    case 'from':
    case 'before':
      return (
        <TextInput
          size="xs"
          type={filter.kind === 'moment' ? 'date' : 'text'}
          label={labels[filter.question]}
          placeholder={filter.kind === 'moment' ? undefined : '2026-01'}
          value={value}
          onChange={({ currentTarget }) => onChange([currentTarget.value])}
        />
      );
    default:
      return (
        <NumberInput
          size="xs"
          label={labels[filter.question]}
          value={value}
          hideControls
          onChange={(next) => onChange([String(next)])}
        />
      );
  }
}

function AnyOf({ field, values, onChange }: Pick<QuestionInputProps, 'field' | 'values' | 'onChange'>) {
  const choices = choicesOf(field.field?.choices ?? {});
  const label = labelOf(field.name, field.field);
  if (choices.length > 0) {
    return (
      <Checkbox.Group aria-label={label} value={values} onChange={onChange}>
        <Stack gap="xs">
          {choices.map((choice) => (
            <Checkbox key={choice.value} size="xs" {...choice} />
          ))}
        </Stack>
      </Checkbox.Group>
    );
  }
  return (
    <TagsInput
      size="xs"
      aria-label={label}
      placeholder={values.length === 0 ? strings.lists.exact : undefined}
      value={values}
      onChange={onChange}
      acceptValueOnBlur
      splitChars={[]}
      comboboxProps={{ withinPortal: false }}
    />
  );
}
