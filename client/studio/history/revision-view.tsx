import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useApi } from '../data/api.tsx';
import type { OwnRecord } from '../data/records.ts';
import { pastQuery, type RecordRevision } from '../data/revisions.ts';
import { FieldDifference } from '../differences/field-difference.tsx';
import { isEqual } from '../records/equal.ts';
import { inFull } from '../texts/moments.ts';
import { texts } from '../texts/texts.ts';
import { actorName } from '../ui/actor-name.ts';
import { Failed } from '../ui/failed.tsx';
import { IconArrowBackUp } from '../ui/icons.ts';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import classes from './history.module.css';
import { useRestore } from './use-restore.ts';

interface RevisionViewProps {
  resource: Resource;
  present: OwnRecord;
  shown: RecordRevision;
}

/** One revision held against the record as it is now. */
export function RevisionView({ resource, present, shown }: RevisionViewProps) {
  const { revision, created, actor } = shown;
  const isPresent = revision === present.revision;
  const past = useQuery(pastQuery(useApi(), resource, present.id, revision));
  const restoring = useRestore(resource, present);
  const differing = past.data
    ? Object.entries(resource.fields).filter(([name]) => !isEqual(past.data[name], present[name]))
    : [];
  return (
    <section className={classes.view} aria-live="polite">
      <Group justify="space-between" align="flex-start" mb="lg" wrap="nowrap">
        <div>
          <Title order={2} fz={16}>
            {isPresent ? texts.history.asNow : texts.history.asOf(inFull(created))}
          </Title>
          <Text fz="sm" c="dimmed">
            {actorName(actor)}
          </Text>
        </div>
        {differing.length > 0 && (
          <Button
            className={classes.restore}
            leftSection={<IconArrowBackUp size={16} />}
            loading={restoring.isPending}
            onClick={() => restoring.mutate({ revision, created })}
          >
            {texts.history.restore}
          </Button>
        )}
      </Group>
      {past.error && <Failed error={past.error} onRetry={past.refetch} />}
      {past.isPending && <ListSkeleton />}
      {past.data && differing.length === 0 && (
        <Text fz="sm" c="dimmed">
          {isPresent ? emptyWords(revision) : texts.history.same}
        </Text>
      )}
      <Stack gap="lg">
        {differing.map(([name, field]) => (
          <FieldDifference
            key={name}
            name={name}
            field={field}
            before={past.data?.[name]}
            after={present[name]}
          />
        ))}
      </Stack>
    </section>
  );
}

const emptyWords = (revision: number) => (revision === 1 ? texts.history.only : texts.history.asNowLead);
