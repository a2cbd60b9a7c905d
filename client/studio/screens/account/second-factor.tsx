import { Button, Group, Text } from '@mantine/core';
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.tsx';
import { type Factor, factorsQuery } from '../../data/queries.ts';
import { strings } from '../../strings/ui-strings.ts';
import { hasPasskeys } from '../../ui/browser.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { DataTable, nameColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
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

const labels = strings.factors;

/** The user's sign-in factors and recovery codes. */
export function SecondFactor() {
  const api = useApi();
  const list = useQuery(factorsQuery(api));
  const queries = useQueryClient();
  const confirm = useConfirm();
  const refresh = () => queries.invalidateQueries(factorsQuery(api));
  const [open, setOpen] = useState<'app' | 'passkey' | Factor | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  const added = async (name: string, given: readonly string[] | null) => {
    // Show the codes immediately: they are stored nowhere else.
    setCodes(given);
    close();
    toast(labels.isAdded(name));
    await refresh();
  };
  if (list.error && !list.data) return <Failed error={list.error} onRetry={list.refetch} />;
  const { data: factors = [], recovery_codes: left = 0 } = list.data ?? {};
  const remove = (factor: Factor) =>
    confirm({
      title: labels.removeOne(factor.name),
      lead: factors.length === 1 ? labels.removeLast : labels.removeLead,
      action: labels.remove,
      run: () => api.studio.factors.remove.mutate({ id: factor.id }),
      refreshes: factorsQuery(api).queryKey,
      done: labels.removed(factor.name),
    });
  const renewCodes = () =>
    confirm({
      title: labels.recovery.renewTitle,
      lead: labels.recovery.renewLead,
      action: labels.recovery.renew,
      run: async () => {
        const { recovery_codes } = await api.studio.factors.recovery.renew.mutate({});
        setCodes(recovery_codes);
        await refresh();
      },
    });
  return (
    <Section title={labels.title} lead={list.data && factors.length === 0 ? labels.why : labels.lead}>
      {!list.data && <ListSkeleton />}
      {factors.length > 0 && (
        <DataTable
          isList
          label={labels.title}
          rows={factors}
          columns={[...columns, actionsColumn({ rename: setOpen, remove })]}
        />
      )}
      {factors.length > 0 && (
        <Group justify="space-between" gap="xs">
          <div>
            <Text fz="sm">{labels.recovery.left(left)}</Text>
            <Text fz={12.5} c="dimmed">
              {labels.recovery.help}
            </Text>
          </div>
          <Button variant="default" size="compact-sm" onClick={renewCodes}>
            {labels.recovery.renew}
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
            {labels.addApp}
          </Button>
          {hasPasskeys() && (
            <Button
              variant="default"
              leftSection={<IconFingerprint size={16} />}
              onClick={() => setOpen('passkey')}
            >
              {labels.addPasskey}
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
  nameColumn(labels.name.label, ({ name, kind }) => ({ first: name, second: labels.kinds[kind] })),
  timeColumn('created', labels.added, { column: 'detail' }),
  timeColumn('last_used_at', strings.common.lastUsed),
];

const actionsColumn = (run: Record<'rename' | 'remove', (factor: Factor) => void>) =>
  menuColumn<Factor>(
    ({ name }) => name,
    (factor) => [
      editing(() => run.rename(factor), labels.rename),
      deletion(() => run.remove(factor), labels.remove),
    ],
  );
