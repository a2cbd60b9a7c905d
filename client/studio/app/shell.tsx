import { ActionIcon, Box, Burger, Group, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconChevronDown, IconExternalLink, IconPencil, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useApi, useSiteLink } from '../data/api.tsx';
import { siteQuery } from '../data/queries.ts';
import { strings } from '../strings/ui-strings.ts';
import { later } from '../ui/load-on-use.tsx';
import { toastError } from '../ui/toast.tsx';
import { commandKeyLabel, isDialogOpen, useCommandKey } from '../ui/use-command-key.ts';
import { useCovering } from '../ui/use-covering.ts';
import { AccountMenu } from './account-menu.tsx';
import { isAt, type NavigationGroup, type NavigationItem, useNavigation } from './navigation.ts';
import classes from './shell.module.css';

const loadPalette = () => import('./palette.tsx');
const Palette = later(loadPalette, { as: 'optional' });

/** Frame around every screen: the navigation at the side, or in a drawer on narrow screens. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  // Same breakpoint as in `shell.module.css`.
  const isDrawer = useMediaQuery('(width < 48em)') && isOpen;
  const burger = useCovering<HTMLButtonElement>(isDrawer, close);
  const [hasPalette, { open: bringPalette }] = useDisclosure();
  const navigation = useNavigation();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // Close the drawer after navigation, because on a phone it covers the chosen screen.
  useEffect(close, [path]);
  const openPalette = () => {
    bringPalette();
    void loadPalette().then((palette) => palette.openPalette(), toastError);
  };
  // This shortcut is bound here, because the palette loads later and would miss an early key press.
  useCommandKey('K', () => {
    // The palette could open another screen, which would discard a dialog's values.
    if (!isDialogOpen()) openPalette();
  });
  return (
    <>
      <a href="#screen" className={classes.skip}>
        {strings.navigation.skip}
      </a>
      <header className={classes.header}>
        <Burger
          ref={burger}
          opened={isOpen}
          onClick={toggle}
          size="sm"
          aria-label={isOpen ? strings.navigation.close : strings.navigation.open}
        />
        <SiteName />
      </header>
      <nav className={classes.navbar} data-open={isOpen} aria-label={strings.navigation.label}>
        <Box p={12} visibleFrom="sm">
          <SiteName />
        </Box>
        <SearchButton onClick={openPalette} />
        <div className={classes.places}>
          {navigation.map((group) => (
            <NavigationSection key={group.label} group={group} current={path} />
          ))}
        </div>
        <AccountMenu />
      </nav>
      <main id="screen" className={classes.screen} inert={isDrawer} tabIndex={-1}>
        <Outlet />
      </main>
      {hasPalette && <Palette />}
    </>
  );
}

function NavigationSection({ group, current }: { group: NavigationGroup; current: string }) {
  const { label, items, isFolded } = group;
  const isHere = items.some((item) => isAt(item, current));
  const links = items.map((item) => <NavigationLink key={item.path} item={item} current={current} />);
  if (!isFolded) {
    return (
      <div>
        {label && <div className={classes.group}>{label}</div>}
        {links}
      </div>
    );
  }
  return (
    // A group that the user opened folds again after the next navigation to another group.
    <details className={classes.folded} open={isHere}>
      <summary>
        {label}
        <IconChevronDown size={14} aria-hidden />
      </summary>
      {links}
    </details>
  );
}

function NavigationLink({ item, current }: { item: NavigationItem; current: string }) {
  const { label, path, icon: ItemIcon } = item;
  const isActive = isAt(item, current);
  const link = useRef<HTMLAnchorElement>(null);
  // Scroll the current item into view, for visits by address and low windows.
  useEffect(() => {
    if (isActive) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <Link
      ref={link}
      to={path}
      className={classes.place}
      data-active={isActive}
      aria-current={isActive ? 'page' : undefined}
    >
      <ItemIcon size={17} stroke={1.7} aria-hidden />
      {label}
    </Link>
  );
}

const SearchButton = ({ onClick }: { onClick(): void }) => (
  <Box px={12} pb={10} pt={{ base: 12, sm: 0 }}>
    <UnstyledButton className={classes.search} onClick={onClick}>
      <IconSearch size={15} aria-hidden />
      {strings.navigation.search}
      <kbd>{commandKeyLabel('K')}</kbd>
    </UnstyledButton>
  </Box>
);

/** Name of the site, with a link to its pages. */
function SiteName() {
  const { data: site } = useQuery(siteQuery(useApi()));
  const linkTo = useSiteLink();
  return (
    <Group gap={10} wrap="nowrap" px={4} h={34} flex={1} miw={0}>
      <span className={classes.mark}>
        <IconPencil size={15} stroke={2} aria-hidden />
      </span>
      <Text fw={600} fz={14} truncate flex={1}>
        {site?.name ?? strings.product}
      </Text>
      <Tooltip label={strings.navigation.viewSite}>
        <ActionIcon component="a" href={linkTo('/')} target="_blank" aria-label={strings.navigation.viewSite}>
          <IconExternalLink size={16} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
