import { Avatar, Group, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccountStorage, useApi, useOwn, useSessions } from '../data/api.tsx';
import { queryOf } from '../data/queries.ts';
import { serviceFor, sessionOf } from '../data/session.ts';
import { useImports } from '../screens/import-export/imports.ts';
import { strings } from '../strings/ui-strings.ts';
import { useLeaveGuard } from '../ui/leave-guard.tsx';
import { toastError } from '../ui/toast.tsx';
import classes from './account-menu.module.css';

const schemes = [
  { scheme: 'auto', icon: IconDeviceDesktop },
  { scheme: 'light', icon: IconSun },
  { scheme: 'dark', icon: IconMoon },
] as const;

/** Menu with the user's other sites, the color scheme, the account and sign-out. */
export function AccountMenu() {
  const sessions = useSessions();
  const { storage, unsaved } = useAccountStorage();
  const [{ is }] = useImports();
  const own = useOwn();
  const { mayLeave, agreeTo } = useLeaveGuard();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  if (!own) return null;
  const { name, email, token } = own;
  const signOut = async () => {
    if (!(await mayLeave())) return;
    if (!(await agreeTo(unsaved.isAny() ? 'unsaved' : null))) return;
    if (!(await agreeTo(is === 'running' ? 'importing' : null))) return;
    // The result of this request is ignored: the browser forgets the session even if the service is unreachable.
    const leaving = serviceFor({ ownerToken: token, fetch: outliving });
    void leaving.admin.session.delete.mutate().catch(() => undefined);
    storage.clear();
    sessions.leave();
  };
  return (
    <Menu position="top-start" width={220} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.account}>
          <Group gap={10} wrap="nowrap">
            <Avatar size={28} radius="xl" color="iris" name={name} aria-hidden />
            <div className={classes.who}>
              <Text fz={13} fw={550} truncate lh={1.25}>
                {name}
              </Text>
              <Text fz={12} c="dimmed" truncate lh={1.25}>
                {email}
              </Text>
            </div>
            <IconSelector size={15} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <OtherSites />
        <Menu.Label>{strings.navigation.appearance}</Menu.Label>
        {schemes.map(({ scheme, icon: SchemeIcon }) => (
          <Menu.Item
            key={scheme}
            leftSection={<SchemeIcon size={15} />}
            rightSection={colorScheme === scheme && <IconCheck size={14} />}
            aria-current={colorScheme === scheme}
            onClick={() => setColorScheme(scheme)}
          >
            {strings.navigation.schemes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={15} />}>
          {strings.account.title}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={signOut}>
          {strings.session.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** `fetch` for a request that continues after the page is closed. */
const outliving: typeof fetch = (url, init) => fetch(url, { ...init, keepalive: true });

/** Menu items for the user's other sites, which open without a new sign-in. Unsaved edits stay in browser storage. */
function OtherSites() {
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
      <Menu.Label>{strings.sites.label}</Menu.Label>
      {sites.map(({ id, name, role }) => (
        <Menu.Item
          key={id}
          aria-current={id === siteId}
          rightSection={
            id === siteId ? (
              <IconCheck size={14} />
            ) : (
              <Text span fz="xs" c="dimmed">
                {strings.people.roles[role]}
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
  const { mayLeave, agreeTo } = useLeaveGuard();
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

/** Uses a separate client: the studio's own would ask for the password when the session has ended. */
const endSession = (ownerToken: string) => serviceFor({ ownerToken }).admin.session.delete.mutate();
