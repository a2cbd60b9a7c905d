import { PasswordInput } from '@mantine/core';
import { useOwn } from '../../data/api.tsx';
import { problemsIn } from '../../forms/field-problems.ts';
import { strings } from '../../strings/ui-strings.ts';

interface CurrentPasswordInputProps {
  value: string;
  /** Error of the last request. */
  error: unknown;
  onChange(value: string): void;
}

/** True if the service refused the current password. */
export const isWrongPassword = (error: unknown) => 'current' in problemsIn(error, ['current']);

export function CurrentPasswordInput({ value, error, onChange }: CurrentPasswordInputProps) {
  const own = useOwn();
  return (
    <>
      {/* Password managers need the account's address to find the password. */}
      <input type="email" autoComplete="username" value={own?.email ?? ''} readOnly hidden />
      <PasswordInput
        label={strings.account.current}
        name="password"
        autoComplete="current-password"
        required
        error={isWrongPassword(error) && strings.account.wrong}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        size="md"
        data-autofocus
      />
    </>
  );
}
