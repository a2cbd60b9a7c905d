import { Input, Skeleton } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { later } from '../ui/load-on-use.tsx';

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
  /** True if the text is the main content of the form. */
  isMain?: boolean;
}

/** Input for Markdown. Loads its editor on first use. */
export function MarkdownInput({ label, description, error, isMain = false, ...editor }: MarkdownInputProps) {
  const id = useId();
  const errorId = `${id}-error`;
  // The main text shows no description.
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
