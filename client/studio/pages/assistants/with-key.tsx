import { Alert, Button, Checkbox, Group, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { CreateApiKey } from '../../../../shared/contract/features/api-keys.ts';
import type { Scope } from '../../../../shared/contract/scopes.ts';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { isEqual } from '../../forms/equal.ts';
import { createOnce } from '../../forms/once.ts';
import { texts } from '../../texts/texts.ts';
import { Note } from '../../ui/note.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { waysByKey } from './snippets.ts';
import { Ways } from './ways.tsx';

/** For what can't sign in by itself: a key, in what each client wants to be given. */
export function WithKey({ address }: { address: string }) {
  const { admin } = useApi();
  const { storage } = useAccountStorage();
  const [once] = useState(() => createOnce(storage, 'api-keys:assistant'));
  const [mayWrite, setMayWrite] = useState(false);
  const making = useWrite({
    run: async () => {
      const scopes: Scope[] = mayWrite ? ['mcp:read', 'mcp:write'] : ['mcp:read'];
      const { answer, sent } = await once.send({ name: texts.assistants.keyName, scopes }, (input, options) =>
        admin.apiKeys.create.mutate(CreateApiKey.parse(input), options),
      );
      if (!isEqual(sent.scopes, scopes)) await admin.apiKeys.update.mutate({ id: answer.id, scopes });
      return answer;
    },
    refreshes: ['api-keys'],
  });
  const key = making.data?.key ?? texts.assistants.keyPlace;
  return (
    <Stack gap="md" component="section">
      <Title order={2} fz={16}>
        {texts.assistants.withKey}
      </Title>
      <Note>{texts.assistants.withKeyLead}</Note>
      <Group>
        <Button variant="default" loading={making.isPending} onClick={() => making.mutate()}>
          {texts.assistants.makeKey}
        </Button>
        <Checkbox
          size="sm"
          label={texts.assistants.mayWrite}
          checked={mayWrite}
          onChange={({ currentTarget }) => setMayWrite(currentTarget.checked)}
        />
      </Group>
      {making.data && (
        <Alert role="status" color="yellow">
          {texts.assistants.keyIn}
        </Alert>
      )}
      <Ways ways={waysByKey(address, key)} />
    </Stack>
  );
}
