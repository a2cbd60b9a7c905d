import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { type Factor, factorsQuery } from '../../data/queries.ts';
import { texts } from '../../strings/texts.ts';
import { hasPasskeys } from '../../ui/browser.ts';
import { momentColumn, nameColumn } from '../../ui/columns.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { DataTable, type TableColumn } from '../../ui/data-table.tsx';
import { IconDeviceMobile, IconFingerprint } from '../../ui/icons.ts';
import { Failed, ListSkeleton } from '../../ui/pending.tsx';
import { deletion, editing, menuColumn } from '../../ui/row-menu.tsx';
import { Section } from '../../ui/screen.tsx';
import { toast } from '../../ui/toast.tsx';
import {
  AddAppDialog,
  AddPasskeyDialog,
  RecoveryCodesDialog,
  RenameFactorDialog,
} from './factor-dialogs.tsx';

const words = texts.factors;

/** The user's sign-in factors and recovery codes. */
export function SecondFactor() {
  const api = useApi();
  const list = useQuery(factorsQuery(api));
  const queries = useQueryClient();
  const ask = useConfirm();
  const refresh = () => queries.invalidateQueries(factorsQuery(api));
  const [open, setOpen] = useState<'app' | 'passkey' | Factor | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  const added = async (name: string, given: readonly string[] | null) => {
    // Show the codes immediately: they are stored nowhere else.
    setCodes(given);
    close();
    toast(words.isAdded(name));
    await refresh();
  };
  if (list.error && !list.data) return <Failed error={list.error} onRetry={list.refetch} />;
  const { data: factors = [], recovery_codes: left = 0 } = list.data ?? {};
  const remove = (factor: Factor) =>
    ask({
      title: words.removeOne(factor.name),
      lead: factors.length === 1 ? words.removeLast : words.removeLead,
      action: words.remove,
      run: () => api.studio.factors.remove.mutate({ id: factor.id }),
      refreshes: factorsQuery(api).queryKey,
      done: words.removed(factor.name),
    });
  const renewCodes = () =>
    ask({
      title: words.recovery.renewTitle,
      lead: words.recovery.renewLead,
      action: words.recovery.renew,
      run: async () => {
        const { recovery_codes } = await api.studio.factors.recovery.renew.mutate({});
        setCodes(recovery_codes);
        await refresh();
      },
    });
  return (
    <Section title={words.title} lead={list.data && factors.length === 0 ? words.why : words.lead}>
      {!list.data && <ListSkeleton />}
      {factors.length > 0 && (
        <DataTable
          isList
          label={words.title}
          rows={factors}
          columns={[...columns, actionsColumn({ rename: setOpen, remove })]}
        />
      )}
      {factors.length > 0 && (
        <Group justify="space-between" gap="xs">
          <div>
            <Text fz="sm">{words.recovery.left(left)}</Text>
            <Text fz={12.5} c="dimmed">
              {words.recovery.help}
            </Text>
          </div>
          <Button variant="default" size="compact-sm" onClick={renewCodes}>
            {words.recovery.renew}
          </Button>
        </Group>
      )}
      {list.data && (
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconDeviceMobile size={16} />}
            onClick={() => setOpen('app')}
          >
            {words.addApp}
          </Button>
          {hasPasskeys() && (
            <Button
              variant="default"
              leftSection={<IconFingerprint size={16} />}
              onClick={() => setOpen('passkey')}
            >
              {words.addPasskey}
            </Button>
          )}
        </Group>
      )}
      {open === 'app' && <AddAppDialog onClose={close} onAdded={added} />}
      {open === 'passkey' && <AddPasskeyDialog onClose={close} onAdded={added} />}
      {open && typeof open === 'object' && <RenameFactorDialog factor={open} onClose={close} />}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Section>
  );
}

const columns: TableColumn<Factor>[] = [
  nameColumn(words.name.label, ({ name, kind }) => ({ first: name, second: words.kinds[kind] })),
  momentColumn('created', words.added, { place: 'detail' }),
  momentColumn('last_used_at', texts.common.lastUsed),
];

const actionsColumn = (run: Record<'rename' | 'remove', (factor: Factor) => void>) =>
  menuColumn<Factor>(
    ({ name }) => name,
    (factor) => [
      editing(() => run.rename(factor), words.rename),
      deletion(() => run.remove(factor), words.remove),
    ],
  );
