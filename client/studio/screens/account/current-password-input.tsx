import { PasswordInput } from '@mantine/core';
import { useOwn } from '../../data/api.tsx';
import { problemsIn } from '../../forms/problems.ts';
import { texts } from '../../strings/texts.ts';

interface CurrentPasswordInputProps {
  value: string;
  /** What the service said to what was sent with it. */
  error: unknown;
  onChange(value: string): void;
}

/** Whether it was refused since the password is another one. */
export const isWrongPassword = (error: unknown) => 'current' in problemsIn(error, ['current']);

/** Asks for the password once more. */
export function CurrentPasswordInput({ value, error, onChange }: CurrentPasswordInputProps) {
  const own = useOwn();
  return (
    <>
      {/* Password managers ask whose it is. */}
      <input type="email" autoComplete="username" value={own?.email ?? ''} readOnly hidden />
      <PasswordInput
        label={texts.account.current}
        name="password"
        autoComplete="current-password"
        required
        error={isWrongPassword(error) && texts.account.wrong}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        size="md"
        data-autofocus
      />
    </>
  );
}
