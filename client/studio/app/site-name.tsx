import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi, useSiteLink } from '../data/api.tsx';
import { siteQuery } from '../data/queries.ts';
import { texts } from '../texts/texts.ts';
import { IconExternalLink, IconPencil } from '../ui/icons.ts';
import classes from './shell.module.css';

/** Whose studio it is, and the way to what visitors see. */
export function SiteName() {
  const { data: site } = useQuery(siteQuery(useApi()));
  const linkTo = useSiteLink();
  return (
    <Group gap={10} wrap="nowrap" px={4} h={34} flex={1} miw={0}>
      <span className={classes.mark}>
        <IconPencil size={15} stroke={2} aria-hidden />
      </span>
      <Text fw={600} fz={14} truncate flex={1}>
        {site?.name ?? texts.product}
      </Text>
      <Tooltip label={texts.navigation.viewSite}>
        <ActionIcon component="a" href={linkTo('/')} target="_blank" aria-label={texts.navigation.viewSite}>
          <IconExternalLink size={16} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
