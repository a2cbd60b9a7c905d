import { Button, Group, Select, Stack, Title } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { etagOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useRights } from '../../data/permissions.ts';
import { type OwnRecord, pastQuery, type RecordRevision, recordsOf } from '../../data/records.ts';
import { FieldDifference } from '../../forms/differences/field-difference.tsx';
import { isEqual } from '../../forms/edits.ts';
import { actorName, labelOf } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Note } from '../../ui/note.tsx';
import { Failed, ListSkeleton } from '../../ui/pending.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import classes from './history.module.css';

interface RevisionViewProps {
  resource: Resource;
  present: OwnRecord;
  revisions: readonly RecordRevision[];
  shown: RecordRevision;
  /** Revision to compare with. */
  against: RecordRevision;
  onAgainst(revision: number): void;
}

/** Comparison of one revision with the current version or with another revision. */
export function RevisionView({ resource, present, shown, against, ...rest }: RevisionViewProps) {
  const { revisions, onAgainst } = rest;
  const { revision, created, actor } = shown;
  const isPresent = revision === present.revision;
  const { inFull } = useTimeFormat();
  const api = useApi();
  const [past, other] = useQueries({
    queries: [
      pastQuery(api, resource, { id: present.id, revision }),
      pastQuery(api, resource, { id: present.id, revision: against.revision }),
    ],
  });
  const restoring = useRestore(resource, present);
  const rights = useRights(resource);
  const error = past.error ?? other.error;
  const isOther = (name: string) => !isEqual(past.data?.[name], present[name]);
  // Restoring a published revision of a draft publishes it, so the user needs the right to publish.
  const restored = past.data && { ...present, is_draft: past.data.is_draft };
  const mayRestore = restored && [present, restored].every(rights.mayChange);
  return (
    <section className={classes.view} aria-live="polite">
      <Group justify="space-between" align="flex-start" mb="lg">
        <div>
          <Title order={2} fz={16}>
            {isPresent ? strings.history.asNow : strings.history.asOf(inFull(created))}
          </Title>
          <Note>{actorName(actor)}</Note>
        </div>
        <Group gap="xs" className={classes.actions}>
          {revisions.length > 1 && (
            <Against
              resource={resource}
              revisions={revisions}
              shown={shown}
              value={against}
              onChange={onAgainst}
            />
          )}
          {mayRestore && Object.keys(resource.fields).some(isOther) && (
            <Button
              leftSection={<IconArrowBackUp size={16} />}
              loading={restoring.isPending}
              onClick={() => restoring.mutate({ revision, created })}
            >
              {strings.history.restore}
            </Button>
          )}
        </Group>
      </Group>
      {error && <Failed error={error} onRetry={() => void Promise.all([past.refetch(), other.refetch()])} />}
      {(past.isPending || other.isPending) && <ListSkeleton />}
      {past.data && other.data && (
        <Differences
          resource={resource}
          sides={against.revision < revision ? [other.data, past.data] : [past.data, other.data]}
          isWithPresent={against.revision === present.revision}
          none={isPresent && against === shown ? emptyLabels(revision) : undefined}
        />
      )}
    </section>
  );
}

const emptyLabels = (revision: number) => (revision === 1 ? strings.history.only : strings.history.asNowLead);

interface DifferencesProps {
  resource: Resource;
  /** The two versions, the earlier one first. */
  sides: readonly [Record<string, unknown>, Record<string, unknown>];
  isWithPresent: boolean;
  /** Text to show if the two versions are equal. */
  none: string | undefined;
}

function Differences({ resource, sides: [before, after], isWithPresent, none }: DifferencesProps) {
  const { past, now, same, sameAs } = strings.history;
  const differing = Object.entries(resource.fields).filter(([name]) => !isEqual(before[name], after[name]));
  const labels = isWithPresent
    ? { before: past, after: now }
    : { before: strings.history.before, after: strings.history.after };
  if (differing.length === 0) {
    return <Note>{none ?? (isWithPresent ? same : sameAs)}</Note>;
  }
  return (
    <Stack gap="lg">
      {differing.map(([name, field]) => (
        <FieldDifference key={name} {...{ name, field, labels }} before={before[name]} after={after[name]} />
      ))}
    </Stack>
  );
}

interface AgainstProps {
  resource: Resource;
  revisions: readonly RecordRevision[];
  shown: RecordRevision;
  value: RecordRevision;
  onChange(revision: number): void;
}

/** Select for the revision to compare with. */
function Against({ resource, revisions, shown, value, onChange }: AgainstProps) {
  const { briefly } = useTimeFormat();
  return (
    <Select
      className={classes.against}
      aria-label={strings.history.against}
      leftSection={strings.history.against}
      leftSectionWidth={104}
      leftSectionProps={{ 'aria-hidden': true, className: classes.againstLabel }}
      data={revisions
        .filter((item) => item !== shown || item === value)
        .map((item) => ({
          value: String(item.revision),
          label:
            item === revisions[0]
              ? strings.history.now
              : `${whatChanged(resource, item)} · ${briefly(item.created)}`,
        }))}
      value={String(value.revision)}
      onChange={(chosen) => onChange(Number(chosen))}
    />
  );
}

/** Describes the fields that a revision changed; the first one is called the creation. */
export function whatChanged({ fields }: Resource, { revision, changed }: RecordRevision): string {
  if (revision === 1) return strings.history.created;
  return changed.map((name) => labelOf(name, fields[name])).join(', ') || strings.history.nothing;
}

/** Returns a function that restores a revision, with an undo. It fails if the record has changed since it was loaded. */
function useRestore(resource: Resource, present: OwnRecord) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { inFull } = useTimeFormat();
  const { id } = present;
  const restore = async (revision: number, ifMatch?: string) => {
    const answer = await recordsOf(api, resource).restore.mutate({ id, revision }, { ifMatch });
    await queries.invalidateQueries({ queryKey: ['records', resource.collection] });
    return etagOf(answer);
  };
  return useMutation({
    mutationFn: ({ revision }: { revision: number; created: Date }) => restore(revision, etagOf(present)),
    onSuccess: (tag, { revision, created }) => {
      // Keep the restored revision in view, although restoring made a newer one.
      void navigate({
        to: '/$collection/$id/history',
        params: { collection: resource.collection, id },
        search: { revision: String(revision) },
        replace: true,
        resetScroll: false,
      });
      toast(
        strings.history.restored(inFull(created)),
        () => void restore(present.revision, tag).catch(toastError),
      );
    },
    onError: async (error) => {
      toastError(error);
      await queries.invalidateQueries({ queryKey: ['records', resource.collection] });
    },
  });
}
