import { AppShell, Box, Burger, Group, ScrollArea, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { texts } from '../texts/texts.ts';
import { IconChevronDown, IconSearch } from '../ui/icons.ts';
import { later } from '../ui/later.tsx';
import { toastError } from '../ui/toast.tsx';
import { commandKeyLabel, isDialogOpen, useCommandKey } from '../ui/use-command-key.ts';
import { AccountMenu } from './account-menu.tsx';
import { isAt, type NavigationItem, type PlaceGroup, useNavigation } from './navigation.ts';
import classes from './shell.module.css';
import { SiteName } from './site-name.tsx';

const loadPalette = () => import('./palette.tsx');
const Palette = later(async () => (await loadPalette()).default, { as: 'optional' });
const openPalette = () => void loadPalette().then((palette) => palette.openPalette(), toastError);

/** The frame around every screen: navigation at the side, which is a drawer where there is no room for it. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const navigation = useNavigation();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // On a phone the drawer covers the screen that was chosen in it.
  useEffect(close, [path]);
  // Bound here and not in the palette, which loads later: a key pressed before that would be lost.
  useCommandKey('K', () => {
    // Another screen would take what was typed into a dialog with it.
    if (!isDialogOpen()) openPalette();
  });
  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      transitionDuration={120}
    >
      <a href="#screen" className={classes.skip}>
        {texts.navigation.skip}
      </a>
      <AppShell.Header className={classes.header} hiddenFrom="sm" withBorder={false}>
        <Group h="100%" px="md" gap="sm">
          <Burger
            opened={isOpen}
            onClick={toggle}
            size="sm"
            aria-label={isOpen ? texts.navigation.close : texts.navigation.open}
          />
          <SiteName />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} withBorder={false} aria-label={texts.navigation.label}>
        <Box p={12} visibleFrom="sm">
          <SiteName />
        </Box>
        <SearchButton />
        <ScrollArea flex={1} px={12} pb={6} type="hover" scrollbarSize={6}>
          {navigation.map((group) => (
            <Places key={group.label} group={group} current={path} />
          ))}
        </ScrollArea>
        <AccountMenu />
      </AppShell.Navbar>
      <AppShell.Main id="screen" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      <Suspense>
        <Palette />
      </Suspense>
    </AppShell>
  );
}

function Places({ group, current }: { group: PlaceGroup; current: string }) {
  const { label, places, isFolded } = group;
  const isHere = places.some((place) => isAt(place, current));
  const links = places.map((place) => <PlaceLink key={place.path} place={place} current={current} />);
  if (!isFolded) {
    return (
      <div>
        {label && <div className={classes.group}>{label}</div>}
        {links}
      </div>
    );
  }
  return (
    // What was opened to go to one of its places folds again with the next screen elsewhere.
    <details className={classes.folded} open={isHere}>
      <summary>
        {label}
        <IconChevronDown size={14} aria-hidden />
      </summary>
      {links}
    </details>
  );
}

function PlaceLink({ place, current }: { place: NavigationItem; current: string }) {
  const { label, path, icon: PlaceIcon } = place;
  const isActive = isAt(place, current);
  const link = useRef<HTMLAnchorElement>(null);
  // Whoever comes by an address sees where they are, also in a window that is too low for all places.
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
      <PlaceIcon size={17} stroke={1.7} aria-hidden />
      {label}
    </Link>
  );
}

const SearchButton = () => (
  <Box px={12} pb={10} pt={{ base: 12, sm: 0 }}>
    <UnstyledButton className={classes.search} onClick={openPalette}>
      <IconSearch size={15} aria-hidden />
      {texts.navigation.search}
      <kbd>{commandKeyLabel('K')}</kbd>
    </UnstyledButton>
  </Box>
);
