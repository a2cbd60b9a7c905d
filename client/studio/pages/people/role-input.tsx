import { Radio, Stack } from '@mantine/core';
import { type Role, roleNames } from '../../../../shared/contract/roles.ts';
import { texts } from '../../texts/texts.ts';

const words = texts.people;

/** What somebody is to do on the site. */
export const RoleInput = ({ value, onChange }: { value: Role; onChange(role: Role): void }) => (
  <Radio.Group
    label={words.role}
    value={value}
    onChange={(chosen) => {
      const role = roleNames.find((name) => name === chosen);
      if (role) onChange(role);
    }}
  >
    <Stack gap="sm" mt={6}>
      {roleNames.map((role) => (
        <Radio key={role} value={role} label={words.roles[role]} description={words.roleHelps[role]} />
      ))}
    </Stack>
  </Radio.Group>
);
