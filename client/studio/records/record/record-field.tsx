import { Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { opens } from '../../../../shared/contract/roles.ts';
import { useApi } from '../../data/api.tsx';
import { useRole } from '../../data/permissions.ts';
import type { NamedField } from '../../data/record-shape.ts';
import { usedQuery } from '../../data/records.ts';
import { MarkdownInput } from '../../forms/markdown-input.tsx';
import { labelOf } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { FieldInput, type FieldInputProps } from '../field-input.tsx';
import classes from './record-form.module.css';
import { useOpenRecord } from './use-record-editor.ts';

interface RecordFieldProps {
  named: NamedField;
  value: unknown;
  problem: string | undefined;
  onChange(value: unknown): void;
  onLeave(): void;
}

export function RecordField({ named: [name, field], ...input }: RecordFieldProps) {
  const { isReadOnly, shape } = useOpenRecord();
  const { value, problem, onChange, onLeave } = input;
  const seesMedia = opens(useRole(), 'media', false);
  if (field.kind === 'image' && !seesMedia) return null;
  if (field.kind === 'list') return <ListField name={name} field={field} {...input} />;
  if (field.kind !== 'markdown' || !(shape.isWritten || isReadOnly))
    return <FieldInput name={name} field={field} {...input} />;
  const label = labelOf(name, field);
  const text = String(value ?? '');
  // A disabled fieldset does not disable the Markdown editor, so read-only text is shown in a textarea.
  if (isReadOnly) return <Textarea autosize readOnly label={label} value={text} />;
  return (
    <MarkdownInput
      isMain
      label={label}
      description={field.help ?? ''}
      placeholder={strings.editor.begin}
      value={text}
      error={problem}
      onChange={onChange}
      onBlur={onLeave}
    />
  );
}

/** Input for a list that suggests values of other records, so that the same thing keeps one spelling. */
function ListField(props: FieldInputProps) {
  const { resource } = useOpenRecord();
  const [isEntered, setEntered] = useState(false);
  const { data } = useQuery({ ...usedQuery(useApi(), resource, props.name), enabled: isEntered });
  return <FieldInput {...props} usual={data} onEnter={() => setEntered(true)} />;
}

interface TitleInputProps {
  label: string;
  placeholder: string;
  value: string;
  problem: string | undefined;
  autoFocus: boolean;
  onChange(value: string): void;
  onLeave(): void;
}

/** Input for a record's title, styled as the heading of the screen. */
export function TitleInput({ label, value, problem, onChange, onLeave, ...rest }: TitleInputProps) {
  return (
    <div className={classes.title}>
      <Textarea
        {...rest}
        variant="unstyled"
        aria-label={label}
        autosize
        minRows={1}
        classNames={{ input: classes.titleInput }}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value.replaceAll('\n', ' '))}
        onBlur={onLeave}
        error={problem}
        withErrorStyles={false}
      />
    </div>
  );
}
