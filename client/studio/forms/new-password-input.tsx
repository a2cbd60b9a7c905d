import { PasswordInput } from '@mantine/core';
import { minPasswordLength } from '../../../shared/contract/limits.ts';
import { strings } from '../strings/ui-strings.ts';

/** Input for a new password, which browsers may generate and save. */
export const NewPasswordInput = ({ value, onChange }: { value: string; onChange(value: string): void }) => (
  <PasswordInput
    label={strings.session.newPassword.label}
    description={strings.session.newPassword.help(minPasswordLength)}
    name="new-password"
    autoComplete="new-password"
    required
    minLength={minPasswordLength}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    size="md"
  />
);
