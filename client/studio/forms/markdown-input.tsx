import { Input, Skeleton } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { later } from '../ui/later.tsx';

const MarkdownEditor = later(() => import('./markdown/markdown-editor.tsx'), {
  meanwhile: ({ isMain }) => <Skeleton h={isMain ? 320 : 160} radius="md" />,
});

interface MarkdownInputProps {
  label: string;
  description: string;
  placeholder: string;
  error: ReactNode;
  value: string;
  onChange(value: string): void;
  onBlur?: (() => void) | undefined;
  /** Whether writing it is what the form is for. */
  isMain?: boolean;
}

/** Text in Markdown, in an editor that is loaded when it is first needed. */
export function MarkdownInput({ label, description, error, isMain = false, ...editor }: MarkdownInputProps) {
  const id = useId();
  const errorId = `${id}-error`;
  // The description of the main text is not shown.
  const describedBy = [isMain ? '' : id, error ? errorId : ''].join(' ').trim();
  const body = (
    <MarkdownEditor
      {...editor}
      label={label}
      isMain={isMain}
      isInvalid={Boolean(error)}
      describedBy={describedBy}
    />
  );
  if (isMain) {
    return (
      <div>
        {body}
        {error && <Input.Error id={errorId}>{error}</Input.Error>}
      </div>
    );
  }
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={<span id={id}>{description}</span>}
      error={error}
      errorProps={{ id: errorId }}
    >
      {body}
    </Input.Wrapper>
  );
}
