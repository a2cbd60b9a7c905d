import { TextInput, type TextInputProps } from '@mantine/core';
import type { KeyboardEvent } from 'react';

interface MomentInputProps extends Omit<TextInputProps, 'type' | 'value' | 'onChange' | 'onKeyDown'> {
  value: Date | null;
  onChange(moment: Date | null): void;
}

/** A moment to the minute, in the browser's own time zone. */
export const MomentInput = ({ value, onChange, ...input }: MomentInputProps) => (
  <TextInput
    {...input}
    type="datetime-local"
    data-empty={value === null}
    value={value ? toLocalInput(value) : ''}
    onChange={({ currentTarget }) => onChange(currentTarget.value ? new Date(currentTarget.value) : null)}
    onKeyDown={keepFromDialogs}
  />
);

const hourMs = 3_600_000;

/** The next full hour. */
export const nextHour = () => new Date(Math.ceil(Date.now() / hourMs) * hourMs);

function toLocalInput(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/**
 * The parts of a moment are gone through by Tab, which only the browser can do. A dialog of Mantine looks a task later where
 * that has led, and takes whoever has gone on by then back to what follows the moment.
 */
function keepFromDialogs(event: KeyboardEvent) {
  if (event.key === 'Tab') event.stopPropagation();
}
