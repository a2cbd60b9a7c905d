import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useApi } from '../../data/api.tsx';
import { scheduledFor } from '../../data/record-shape.ts';
import { recordsOf, revisionIn } from '../../data/records.ts';
import { isEqual } from '../../forms/edits.ts';
import { problemsIn } from '../../forms/field-problems.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { nextHour, TimeInput } from '../../forms/time-input.tsx';
import { messageFor, NotSent } from '../../strings/errors.ts';
import type { TimeFormat } from '../../strings/time-format.ts';
import { strings } from '../../strings/ui-strings.ts';
import { useTimeFormat } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useOpenRecord } from './use-record-editor.ts';

function outcomeOf(title: string, publish_at: Date | null, { inFull }: TimeFormat): string {
  if (!publish_at) return strings.records.scheduledNoMore(title);
  const hasPassed = publish_at.getTime() <= Date.now();
  return hasPassed
    ? strings.records.publishedNow(title)
    : strings.records.scheduled(title, inFull(publish_at));
}

/** True if the service refused the record's fields, not the publication time. */
const isOfForm = ({ fields }: Resource, error: unknown) =>
  error instanceof NotSent || Object.keys(problemsIn(error, Object.keys(fields))).length > 0;

/** Dialog that sets or removes the publication time of a draft. */
export function ScheduleDialog({ onClose }: { onClose(): void }) {
  const { resource, editor, refuse } = useOpenRecord();
  const { title } = editor;
  const api = useApi();
  const queries = useQueryClient();
  const timeFormat = useTimeFormat();
  const known = scheduledFor(editor.values);
  const [proposed] = useState(() => known ?? nextHour());
  const [time, setTime] = useState<Date | null>(proposed);
  const scheduling = useMutation({
    mutationFn: async (publish_at: Date | null) => {
      // Save first, so that the published version contains the latest edits.
      await editor.saveTyped();
      const answer = await recordsOf(api, resource).schedule.mutate({ id: editor.id, publish_at });
      const revision = revisionIn(answer);
      // A time in the past makes two revisions: one sets the time and one publishes.
      for (const own of [revision - 1, revision]) editor.noteOwn(own);
    },
    onSuccess: (_, publish_at) => {
      void queries.invalidateQueries({ queryKey: ['records', resource.collection] });
      onClose();
      toast(outcomeOf(title, publish_at, timeFormat));
    },
    onError: (error) => {
      if (!isOfForm(resource, error)) return;
      onClose();
      refuse();
    },
  });
  return (
    <FormDialog
      title={strings.records.scheduleTitle(title)}
      action={strings.records.scheduleAction}
      form={{
        isSending: scheduling.isPending,
        failure: scheduling.error && messageFor(scheduling.error),
        isChanged: !scheduling.isPending && !isEqual(time, proposed),
        refusals: 0,
        submit: () => time && scheduling.mutate(time),
      }}
      onClose={onClose}
    >
      <TimeInput
        label={strings.records.scheduleAt}
        description={strings.records.scheduleHelp}
        value={time}
        required
        onChange={setTime}
        data-autofocus
      />
      {known && (
        <Button variant="subtle" color="gray" onClick={() => scheduling.mutate(null)}>
          {strings.records.scheduleBack}
        </Button>
      )}
    </FormDialog>
  );
}
