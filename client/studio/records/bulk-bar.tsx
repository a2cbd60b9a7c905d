import { Button, Group, Paper, Text, Transition } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useApi } from '../data/api.tsx';
import { type OwnRecord, recordsOf } from '../data/records.ts';
import { texts } from '../texts/texts.ts';
import { say, sayFailed } from '../ui/toast.tsx';
import classes from './record-table.module.css';
import { isDraft, type Shape } from './shape.ts';
import { useDeletion } from './use-deletion.ts';

interface BulkBarProps {
  resource: Resource;
  shape: Shape;
  /** Those that were chosen. */
  records: readonly OwnRecord[];
  onDone(): void;
}

/** What can be done with several records at once. */
export function BulkBar({ resource, shape, records, onDone }: BulkBarProps) {
  const api = useApi();
  const queries = useQueryClient();
  const { remove, dialog } = useDeletion({ resource, shape, onDeleted: onDone });
  const finish = async (message: string, undo?: () => void) => {
    onDone();
    await queries.invalidateQueries({ queryKey: ['records', resource.collection] });
    say(message, undo);
  };
  const change = useMutation({
    mutationFn: async ({ ids, is_draft }: { ids: string[]; is_draft: boolean }) => {
      for (const id of ids) await recordsOf(api, resource).update.mutate({ id, is_draft });
    },
    onSuccess: (_, { ids, is_draft }) => {
      const message = is_draft
        ? texts.records.unpublishedMany(ids.length)
        : texts.records.publishedMany(ids.length);
      return finish(message, () => change.mutate({ ids, is_draft: !is_draft }));
    },
    onError: sayFailed,
  });
  const idsWhere = (draft: boolean) =>
    records.filter((record) => isDraft(record) === draft).map(({ id }) => id);
  const [drafts, published] = [idsWhere(true), idsWhere(false)];
  return (
    <>
      <Transition mounted={records.length > 0} transition="slide-up" duration={120}>
        {(style) => (
          <Paper
            className={classes.bulk}
            style={style}
            shadow="lg"
            role="toolbar"
            aria-label={texts.records.bulk}
          >
            <Text fz="sm" fw={550}>
              {texts.records.chosen(records.length)}
            </Text>
            <Group gap={6} wrap="nowrap">
              {shape.hasDrafts && drafts.length > 0 && (
                <Button
                  size="xs"
                  loading={change.isPending}
                  onClick={() => change.mutate({ ids: drafts, is_draft: false })}
                >
                  {texts.records.publish}
                </Button>
              )}
              {shape.hasDrafts && published.length > 0 && (
                <Button
                  size="xs"
                  variant="default"
                  loading={change.isPending}
                  onClick={() => change.mutate({ ids: published, is_draft: true })}
                >
                  {texts.records.unpublish}
                </Button>
              )}
              <Button size="xs" variant="light" color="red" onClick={() => remove(records)}>
                {texts.common.delete}
              </Button>
              <Button size="xs" variant="subtle" color="gray" onClick={onDone}>
                {texts.common.cancel}
              </Button>
            </Group>
          </Paper>
        )}
      </Transition>
      {dialog}
    </>
  );
}
