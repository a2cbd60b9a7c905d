import { Text, TextInput, type TextInputProps } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { strings } from '../strings/ui-strings.ts';
import { useTimeFormat } from '../ui/time.tsx';

interface TimeInputProps extends Omit<TextInputProps, 'type' | 'value' | 'onChange' | 'onKeyDown'> {
  value: Date | null;
  onChange(time: Date | null): void;
}

/** Input for a time with minutes in the site's time zone, which its description names. */
export function TimeInput({ value, description, onChange, ...input }: TimeInputProps) {
  const { toInput, fromInput, zoneNamed } = useTimeFormat();
  return (
    <TextInput
      {...input}
      type="datetime-local"
      description={
        <>
          {description}
          <Text span display="block" inherit>
            {strings.common.timeZone(zoneNamed(value ?? new Date()))}
          </Text>
        </>
      }
      data-empty={value === null}
      value={value ? toInput(value) : ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value ? fromInput(currentTarget.value) : null)}
      onKeyDown={keepFromDialogs}
    />
  );
}

const hourMs = 3_600_000;

/** Returns the next full hour in UTC, or the current time if it is one. */
export const nextHour = () => new Date(Math.ceil(Date.now() / hourMs) * hourMs);

/**
 * Stops Tab from reaching Mantine's dialog. The browser moves through the parts of the input by Tab. The dialog checks the
 * focus a task later and would move it away.
 */
function keepFromDialogs(event: KeyboardEvent) {
  if (event.key === 'Tab') event.stopPropagation();
}
