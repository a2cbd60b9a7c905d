import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../data/api.tsx';
import { siteQuery } from '../data/queries.ts';
import { texts } from '../texts/texts.ts';
import { IconPencil } from '../ui/icons.ts';
import classes from './shell.module.css';

/** Whose studio it is. */
export function SiteName() {
  const { data: site } = useQuery(siteQuery(useApi()));
  return (
    <Group gap={10} wrap="nowrap" px={4} h={34}>
      <span className={classes.mark}>
        <IconPencil size={15} stroke={2} aria-hidden />
      </span>
      <Text fw={600} fz={14} truncate>
        {site?.name ?? texts.product}
      </Text>
    </Group>
  );
}
