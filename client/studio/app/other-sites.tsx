import { Menu, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi, useOwn, useSessions } from '../data/api.tsx';
import { queryOf } from '../data/queries.ts';
import { serviceFor, sessionOf } from '../data/session.ts';
import { useImports } from '../pages/import-export/imports.ts';
import { texts } from '../texts/texts.ts';
import { IconCheck } from '../ui/icons.ts';
import { useLeaving } from '../ui/leaving.tsx';
import { toastError } from '../ui/toast.tsx';

/** The way to the other sites that somebody works on, without signing in again. What was typed here waits here. */
export function OtherSites() {
  const { studio } = useApi();
  const own = useOwn();
  const { data } = useQuery({
    ...queryOf(['sites'], studio.sites.list, undefined),
    staleTime: 60_000,
  });
  const enter = useEntering();
  const sites = data?.data ?? [];
  if (sites.length < 2 || !own) return null;
  const { siteId } = own;
  return (
    <>
      <Menu.Label>{texts.sites.label}</Menu.Label>
      {sites.map(({ id, name, role }) => (
        <Menu.Item
          key={id}
          aria-current={id === siteId}
          rightSection={
            id === siteId ? (
              <IconCheck size={14} />
            ) : (
              <Text span fz="xs" c="dimmed">
                {texts.people.roles[role]}
              </Text>
            )
          }
          disabled={enter.isPending}
          onClick={() => id !== siteId && enter.mutate(id)}
        >
          {name}
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
  );
}

function useEntering() {
  const { studio } = useApi();
  const sessions = useSessions();
  const own = useOwn();
  const [{ is }] = useImports();
  const { mayLeave, agreeTo } = useLeaving();
  return useMutation({
    mutationFn: async (id: string) => {
      if (!(await mayLeave())) return;
      if (!(await agreeTo(is === 'running' ? 'importing' : null))) return;
      const { token } = await studio.sites.enter.mutate({ id });
      const session = await sessionOf(token);
      if (own) await endSession(own.token).catch(() => undefined);
      sessions.begin(session);
    },
    onError: toastError,
  });
}

/** Not by the studio's own client, which would ask for the password when it is gone. */
const endSession = (ownerToken: string) => serviceFor({ ownerToken }).admin.session.delete.mutate();
