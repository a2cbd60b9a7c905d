import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CreateEnrollment } from '../../../shared/contract/audience.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { course } from '../../../shared/contract/resources/course.ts';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { briefly } from '../texts/moments.ts';
import { texts } from '../texts/texts.ts';
import { createdColumn } from '../ui/created-column.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Dot } from '../ui/dot.tsx';
import { IconUserCheck } from '../ui/icons.ts';
import { say, sayFailed } from '../ui/toast.tsx';
import { Only } from './list-tools.tsx';
import { RecordSelect, useChoices } from './record-select.tsx';
import { personColumn, RecordedPage, useRecording } from './recorded-page.tsx';
import { oneOf, useAsked } from './use-asked.ts';

type Enrollment = OutputOf<ApiClient['studio']['enrollments']['list']>['items'][number];

const name = 'enrollments';

/** Who takes which course. */
export function EnrollmentsPage() {
  const { studio } = useApi();
  const queries = useQueryClient();
  const { asked } = useAsked();
  const finished = oneOf(['yes', 'no'], asked('finished'));
  const courses = useChoices(course);
  const courseTitle = (id: string) => courses.find(({ value }) => value === id)?.label ?? id;
  const completing = useMutation({
    mutationFn: ({ id }: Enrollment) => studio.enrollments.complete.mutate({ id }),
    onSuccess: async (_, { buyer_email }) => {
      await queries.invalidateQueries({ queryKey: [name] });
      say(texts.enrollments.completed(buyer_email));
    },
    onError: sayFailed,
  });
  const columns: Column<Enrollment>[] = [
    personColumn(texts.enrollments.learner, ({ course_id }) => courseTitle(course_id)),
    createdColumn(texts.enrollments.since, { isDetail: true }),
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
    <RecordedPage
      {...{ name, columns }}
      words={texts.enrollments}
      icon={IconUserCheck}
      list={studio.enrollments.list}
      asked={{
        q: asked('q'),
        course_id: RecordId.safeParse(asked('course')).data,
        completed: finished && finished === 'yes',
      }}
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
    contract: CreateEnrollment,
    send: (input, options) => studio.enrollments.create.mutate(CreateEnrollment.parse(input), options),
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
