import { Button, Group, Paper, Text, Transition } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useApi } from '../../data/api.tsx';
import { isDraft, shapeOf } from '../../data/record-shape.ts';
import { type OwnRecord, oneByOne, recordsOf, revisionIn } from '../../data/records.ts';
import { updateWithRetry } from '../../forms/update-with-retry.ts';
import { messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { toast, toastError, toastReason } from '../../ui/toast.tsx';
import { useDeletion } from '../record/use-deletion.ts';
import classes from './bulk-bar.module.css';

interface BulkBarProps {
  resource: Resource;
  /** The selected records. */
  records: readonly OwnRecord[];
  onDone(): void;
}

/** Toolbar with actions on the selected records. */
export function BulkBar({ resource, records, onDone }: BulkBarProps) {
  const api = useApi();
  const queries = useQueryClient();
  const remove = useDeletion({ resource, onDeleted: onDone });
  const { get, update } = recordsOf(api, resource);
  const change = useMutation({
    mutationFn: ({ chosen, is_draft }: { chosen: readonly OwnRecord[]; is_draft: boolean }) =>
      oneByOne(chosen, async (record) => {
        const { id } = record;
        const answer = await updateWithRetry({
          saved: record,
          read: () => get.query({ id }),
          wouldOverwrite: (fresh) => isDraft(fresh) !== isDraft(record),
          write: ({ revision }) => update.mutate({ id, is_draft }, { ifMatch: `"${revision}-"` }),
        });
        return { ...record, is_draft, revision: revisionIn(answer) };
      }),
    onSuccess: async ({ done, left, failure }, { is_draft }) => {
      onDone();
      await queries.invalidateQueries({ queryKey: ['records', resource.collection] });
      const message = is_draft ? strings.records.unpublishedMany : strings.records.publishedMany;
      if (done.length > 0)
        toast(message(done.length), () => change.mutate({ chosen: done, is_draft: !is_draft }));
      if (left > 0) toastReason(strings.records.left(left, messageFor(failure)));
    },
    onError: toastError,
  });
  const { hasDrafts } = shapeOf(resource);
  const [drafts, published] = [records.filter(isDraft), records.filter((record) => !isDraft(record))];
  return (
    <Transition mounted={records.length > 0} transition="slide-up" duration={120}>
      {(style) => (
        <Paper
          className={classes.bulk}
          style={style}
          shadow="lg"
          role="toolbar"
          aria-label={strings.records.bulk}
        >
          <Text fz="sm" fw={550}>
            {strings.records.chosen(records.length)}
          </Text>
          <Group gap={6} wrap="nowrap">
            {hasDrafts && drafts.length > 0 && (
              <Button
                size="xs"
                loading={change.isPending}
                onClick={() => change.mutate({ chosen: drafts, is_draft: false })}
              >
                {strings.records.publish}
              </Button>
            )}
            {hasDrafts && published.length > 0 && (
              <Button
                size="xs"
                variant="default"
                loading={change.isPending}
                onClick={() => change.mutate({ chosen: published, is_draft: true })}
              >
                {strings.records.unpublish}
              </Button>
            )}
            <Button size="xs" variant="light" color="red" onClick={() => remove(records)}>
              {strings.common.delete}
            </Button>
            <Button size="xs" variant="subtle" color="gray" onClick={onDone}>
              {strings.common.cancel}
            </Button>
          </Group>
        </Paper>
      )}
    </Transition>
  );
}
