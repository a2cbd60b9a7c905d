import { Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

/** A form that its button or Enter sends, without leaving the page. */
export function SubmitForm({ onSubmit, children }: { onSubmit(): void; children: ReactNode }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // The server checks addresses: WebKit refuses those whose domain is not ASCII.
    const inputs = [...event.currentTarget.querySelectorAll('input')];
    const refused = inputs.find(({ validity }) => !validity.valid && !validity.typeMismatch);
    if (refused) refused.reportValidity();
    else onSubmit();
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">{children}</Stack>
    </form>
  );
}
