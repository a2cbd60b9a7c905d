import { IconCheck, IconRefresh, IconUserCheck, IconX } from '@tabler/icons-react';
import { enrollment } from '../../../../shared/contract/audience/enrollment.ts';
import { RecordId } from '../../../../shared/contract/record-id.ts';
import { course } from '../../../../shared/contract/resources/course.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import { inputOf } from '../../forms/input-props.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useOnly } from '../../records/list/list-tools.tsx';
import { pagesOf, useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { RecordSelect, useChoices, useRecording } from '../../records/recording-form.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { randomId } from '../../ui/browser.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { nameColumn, stateColumn, type TableColumn, timeColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import type { OptionalAction, RowAction } from '../../ui/row-menu.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

type Enrollment = OutputOf<ApiClient['studio']['enrollments']['list']>['items'][number];

const labels = strings.enrollments;

const name = 'enrollments';

/** Page with the enrollments of learners, of all courses or of the chosen one. */
export default function EnrollmentsPage() {
  const { studio } = useApi();
  const mayWrite = useMayWrite('audience');
  const { param } = useListAddress();
  const [finished, byFinished] = useOnly('finished', {
    label: strings.records.state,
    all: strings.lists.states.all,
    choices: { no: labels.learning, yes: labels.done },
  });
  const list = useListPage(
    pagesOf(name, studio.enrollments.list, {
      q: param('q'),
      course_id: RecordId.safeParse(param('course')).data,
      completed: finished && finished === 'yes',
    }),
  );
  const courses = useChoices(course);
  const courseTitle = (id: string) => courses.find(({ value }) => value === id)?.label ?? id;
  const actionsOf = useActions();
  const columns: TableColumn<Enrollment>[] = [
    nameColumn(labels.learner, ({ buyer_email, course_id }) => ({
      first: buyer_email,
      second: courseTitle(course_id),
    })),
    { label: labels.source, column: 'detail', cell: ({ source }) => labels.sources[source] },
    { label: labels.progress, column: 'detail', cell: ({ done, of }) => labels.lessons(done, of) },
    timeColumn('created', labels.since),
    stateColumn((enrollment) => <State {...enrollment} />),
  ];
  return (
    <ListScreen
      {...{ words: labels, columns }}
      icon={IconUserCheck}
      list={list}
      only={[{ name: 'course', label: labels.course, all: labels.anyCourse, choices: courses }, byFinished]}
      menu={mayWrite && { nameOf: ({ buyer_email }) => buyer_email, actionsOf }}
      mayAdd={mayWrite}
      form={(_, close) => <EnrollDialog onClose={close} />}
    />
  );
}

function State({ completed_at, ended_at, done, of }: Enrollment) {
  if (ended_at) return <Dot tone="bad" label={<Time at={ended_at} said={labels.ended} />} />;
  if (completed_at) return <Dot tone="good" label={<Time at={completed_at} said={labels.finished} />} />;
  return <Dot tone="off" label={of > 0 ? labels.learningAt(done, of) : labels.learning} />;
}

/** Returns the function that lists the actions for one learner. */
function useActions() {
  const { enrollments } = useApi().studio;
  const confirm = useConfirm();
  const completing = useWrite({
    run: ({ id }: Enrollment) => enrollments.complete.mutate({ id }),
    refreshes: [name],
    done: (_, { buyer_email }) => toast(labels.completed(buyer_email)),
  });
  const resuming = useWrite({
    run: ({ course_id, buyer_email }: Enrollment) => {
      const options = { idempotencyKey: randomId() };
      return enrollments.create.mutate({ course_id, buyer_email }, options);
    },
    refreshes: [name],
    done: (_, { buyer_email }) => toast(labels.added(buyer_email)),
  });
  const end = ({ id, buyer_email }: Enrollment) =>
    confirm({
      title: labels.end.title(buyer_email),
      lead: labels.end.lead,
      action: labels.end.action,
      run: () => enrollments.end.mutate({ id }),
      refreshes: [name],
      done: labels.end.done(buyer_email),
    });
  return (enrollment: Enrollment): OptionalAction<RowAction>[] => [
    !enrollment.completed_at && {
      label: labels.complete,
      icon: IconCheck,
      run: () => completing.mutate(enrollment),
    },
    enrollment.ended_at
      ? { label: labels.resume, icon: IconRefresh, run: () => resuming.mutate(enrollment) }
      : { label: labels.end.action, icon: IconX, run: () => end(enrollment), isDangerous: true },
  ];
}

function EnrollDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  const { form, dialog } = useRecording({
    name,
    labels,
    initial: { course_id: '', buyer_email: '' },
    contract: enrollment.create,
    send: (input, options) => studio.enrollments.create.mutate(enrollment.create.parse(input), options),
    onClose,
  });
  return dialog(<RecordSelect label={labels.course} resource={course} {...inputOf(form, 'course_id')} />);
}
