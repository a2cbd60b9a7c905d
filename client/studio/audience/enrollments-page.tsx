import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CreateEnrollment } from '../../../shared/contract/audience.ts';
import { course } from '../../../shared/contract/resources/course.ts';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { useForm } from '../fields/use-form.ts';
import { briefly } from '../texts/moments.ts';
import { texts } from '../texts/texts.ts';
import { type Column, TwoLines } from '../ui/data-table.tsx';
import { Dot } from '../ui/dot.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { IconPlus, IconUserCheck } from '../ui/icons.ts';
import { Screen } from '../ui/screen.tsx';
import { say, sayFailed } from '../ui/toast.tsx';
import { PagedList } from './paged-list.tsx';
import { RecordSelect, useTitles } from './record-select.tsx';

type Enrollment = OutputOf<ApiClient['studio']['enrollments']['list']>['items'][number];

/** Who takes which course. */
export function EnrollmentsPage() {
  const { studio } = useApi();
  const queries = useQueryClient();
  const courseTitle = useTitles(course);
  const [isAdding, setAdding] = useState(false);
  const completing = useMutation({
    mutationFn: ({ id }: Enrollment) => studio.enrollments.complete.mutate({ id }),
    onSuccess: async (_, { buyer_email }) => {
      await queries.invalidateQueries({ queryKey: ['enrollments'] });
      say(texts.enrollments.completed(buyer_email));
    },
    onError: sayFailed,
  });
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {texts.enrollments.add}
    </Button>
  );
  const columns: Column<Enrollment>[] = [
    {
      label: texts.enrollments.learner,
      cell: ({ buyer_email, course_id }) => <TwoLines first={buyer_email} second={courseTitle(course_id)} />,
    },
    { label: texts.enrollments.since, isDetail: true, cell: ({ created }) => briefly(created) },
    {
      label: texts.records.state,
      align: 'end',
      cell: (enrollment) =>
        enrollment.completed_at ? (
          <Dot tone="good" label={texts.enrollments.finished(briefly(enrollment.completed_at))} />
        ) : (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={texts.enrollments.completeOne(enrollment.buyer_email)}
            loading={completing.isPending && completing.variables.id === enrollment.id}
            onClick={() => completing.mutate(enrollment)}
          >
            {texts.enrollments.complete}
          </Button>
        ),
    },
  ];
  return (
    <Screen title={texts.enrollments.title} lead={texts.enrollments.lead} actions={add}>
      <PagedList
        name="enrollments"
        label={texts.enrollments.title}
        list={studio.enrollments.list}
        columns={columns}
        empty={{
          icon: IconUserCheck,
          title: texts.enrollments.none,
          lead: texts.enrollments.noneLead,
          action: add,
        }}
      />
      {isAdding && <EnrollDialog onClose={() => setAdding(false)} />}
    </Screen>
  );
}

function EnrollDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  const queries = useQueryClient();
  const form = useForm({
    initial: { course_id: '', buyer_email: '' },
    contract: CreateEnrollment,
    send: (values) => studio.enrollments.create.mutate(values),
    onSent: (_, { buyer_email }) => {
      void queries.invalidateQueries({ queryKey: ['enrollments'] });
      onClose();
      say(texts.enrollments.added(buyer_email));
    },
  });
  const { values, problems, set } = form;
  return (
    <FormDialog
      isOpen
      title={texts.enrollments.add}
      action={texts.enrollments.add}
      isSending={form.isSending}
      failure={form.failure}
      onSubmit={form.submit}
      onClose={onClose}
    >
      <TextInput
        type="email"
        label={texts.session.email}
        value={values.buyer_email}
        error={problems.buyer_email}
        onChange={({ currentTarget }) => set('buyer_email', currentTarget.value)}
        data-autofocus
      />
      <RecordSelect
        label={texts.enrollments.course}
        resource={course}
        value={values.course_id}
        error={problems.course_id}
        onChange={(id) => set('course_id', id)}
      />
    </FormDialog>
  );
}
