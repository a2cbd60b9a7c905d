import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { enrollment } from '../../../../shared/contract/kinds/enrollment.ts';
import { RecordId } from '../../../../shared/contract/record-id.ts';
import { course } from '../../../../shared/contract/resources/course.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/rights.ts';
import { Only } from '../../kinds/list/list-tools.tsx';
import { oneOf, useListAddress } from '../../kinds/list/use-list-address.ts';
import { pagesOf, useListPage } from '../../kinds/list/use-list-page.ts';
import { briefly } from '../../texts/moments.ts';
import { texts } from '../../texts/texts.ts';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { IconUserCheck } from '../../ui/icons.ts';
import { momentColumn } from '../../ui/moment-column.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { RecordSelect, useChoices } from './record-select.tsx';
import { personColumn, RecordedPage, useRecording } from './recorded-page.tsx';

type Enrollment = OutputOf<ApiClient['studio']['enrollments']['list']>['items'][number];

const name = 'enrollments';

/** Who takes which course. */
export function EnrollmentsPage() {
  const { studio } = useApi();
  const queries = useQueryClient();
  const mayComplete = useMayWrite('audience');
  const { param } = useListAddress();
  const finished = oneOf(['yes', 'no'], param('finished'));
  const list = useListPage(
    pagesOf(name, studio.enrollments.list, {
      q: param('q'),
      course_id: RecordId.safeParse(param('course')).data,
      completed: finished && finished === 'yes',
    }),
  );
  const courses = useChoices(course);
  const courseTitle = (id: string) => courses.find(({ value }) => value === id)?.label ?? id;
  const completing = useMutation({
    mutationFn: ({ id }: Enrollment) => studio.enrollments.complete.mutate({ id }),
    onSuccess: async (_, { buyer_email }) => {
      await queries.invalidateQueries({ queryKey: [name] });
      toast(texts.enrollments.completed(buyer_email));
    },
    onError: toastError,
  });
  const columns: TableColumn<Enrollment>[] = [
    personColumn(texts.enrollments.learner, ({ course_id }) => courseTitle(course_id)),
    momentColumn('created', texts.enrollments.since),
    {
      label: texts.records.state,
      place: 'state',
      cell: (enrollment) => {
        if (enrollment.completed_at)
          return <Dot tone="good" label={texts.enrollments.finished(briefly(enrollment.completed_at))} />;
        if (!mayComplete) return <Dot tone="off" label={texts.enrollments.learning} />;
        return (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={texts.enrollments.completeOne(enrollment.buyer_email)}
            loading={completing.isPending && completing.variables.id === enrollment.id}
            onClick={() => completing.mutate(enrollment)}
          >
            {texts.enrollments.complete}
          </Button>
        );
      },
    },
  ];
  return (
    <RecordedPage
      {...{ name, columns }}
      words={texts.enrollments}
      icon={IconUserCheck}
      list={list}
      only={
        <>
          <Only
            name="course"
            label={texts.enrollments.course}
            all={texts.enrollments.anyCourse}
            choices={courses}
          />
          <Only
            name="finished"
            label={texts.records.state}
            all={texts.enrollments.all}
            choices={[
              { value: 'no', label: texts.enrollments.learning },
              { value: 'yes', label: texts.enrollments.done },
            ]}
          />
        </>
      }
      dialog={(close) => <EnrollDialog onClose={close} />}
    />
  );
}

function EnrollDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  const { values, problems, set, dialog } = useRecording({
    name,
    words: texts.enrollments,
    initial: { course_id: '', buyer_email: '' },
    contract: enrollment.create,
    send: (input, options) => studio.enrollments.create.mutate(enrollment.create.parse(input), options),
    onClose,
  });
  return dialog(
    <RecordSelect
      label={texts.enrollments.course}
      resource={course}
      value={values.course_id}
      error={problems.course_id}
      onChange={(id) => set('course_id', id)}
    />,
  );
}
