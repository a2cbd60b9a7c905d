import { enrollment } from '../../../../shared/contract/kinds/enrollment.ts';
import { RecordId } from '../../../../shared/contract/record-id.ts';
import { course } from '../../../../shared/contract/resources/course.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/rights.ts';
import { ListScreen } from '../../records/list/list-screen.tsx';
import { useOnly } from '../../records/list/list-tools.tsx';
import { pagesOf, useListAddress, useListPage } from '../../records/list/use-list-page.ts';
import { RecordSelect, useChoices, useRecording } from '../../records/recording-form.tsx';
import { describeProblem } from '../../strings/failures.ts';
import { texts } from '../../strings/texts.ts';
import { randomId } from '../../ui/browser.ts';
import { momentColumn, nameColumn, stateColumn } from '../../ui/columns.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Dot } from '../../ui/dot.tsx';
import { IconCheck, IconRefresh, IconUserCheck, IconX } from '../../ui/icons.ts';
import { Moment } from '../../ui/moment.tsx';
import type { Offered, RowAction } from '../../ui/row-menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';

type Enrollment = OutputOf<ApiClient['studio']['enrollments']['list']>['items'][number];

const words = texts.enrollments;

const name = 'enrollments';

/** Page with the members who take a course. */
export default function EnrollmentsPage() {
  const { studio } = useApi();
  const mayWrite = useMayWrite('audience');
  const { param } = useListAddress();
  const [finished, byFinished] = useOnly('finished', {
    label: texts.records.state,
    all: words.all,
    choices: { no: words.learning, yes: words.done },
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
    nameColumn(words.learner, ({ buyer_email, course_id }) => ({
      first: buyer_email,
      second: courseTitle(course_id),
    })),
    { label: words.source, place: 'detail', cell: ({ source }) => words.sources[source] },
    { label: words.progress, place: 'detail', cell: ({ done, of }) => words.lessons(done, of) },
    momentColumn('created', words.since),
    stateColumn((enrollment) => <State {...enrollment} />),
  ];
  return (
    <ListScreen
      {...{ words, columns }}
      icon={IconUserCheck}
      list={list}
      only={[{ name: 'course', label: words.course, all: words.anyCourse, choices: courses }, byFinished]}
      menu={mayWrite && { nameOf: ({ buyer_email }) => buyer_email, actionsOf }}
      mayAdd={mayWrite}
      form={(_, close) => <EnrollDialog onClose={close} />}
    />
  );
}

function State({ completed_at, ended_at, done, of }: Enrollment) {
  if (ended_at) return <Dot tone="bad" label={<Moment at={ended_at} said={words.ended} />} />;
  if (completed_at) return <Dot tone="good" label={<Moment at={completed_at} said={words.finished} />} />;
  return <Dot tone="off" label={of > 0 ? words.learningAt(done, of) : words.learning} />;
}

/** Returns the function that lists the actions for one learner. */
function useActions() {
  const { enrollments } = useApi().studio;
  const ask = useConfirm();
  const completing = useWrite({
    run: ({ id }: Enrollment) => enrollments.complete.mutate({ id }),
    refreshes: [name],
    done: (_, { buyer_email }) => toast(words.completed(buyer_email)),
  });
  const resuming = useWrite({
    run: ({ course_id, buyer_email }: Enrollment) => {
      const options = { idempotencyKey: randomId() };
      return enrollments.create.mutate({ course_id, buyer_email }, options);
    },
    refreshes: [name],
    done: (_, { buyer_email }) => toast(words.added(buyer_email)),
  });
  const end = ({ id, buyer_email }: Enrollment) =>
    ask({
      title: words.end.title(buyer_email),
      lead: words.end.lead,
      action: words.end.action,
      run: () => enrollments.end.mutate({ id }),
      refreshes: [name],
      done: words.end.done(buyer_email),
    });
  return (enrollment: Enrollment): Offered<RowAction>[] => [
    !enrollment.completed_at && {
      label: words.complete,
      icon: IconCheck,
      run: () => completing.mutate(enrollment),
    },
    enrollment.ended_at
      ? { label: words.resume, icon: IconRefresh, run: () => resuming.mutate(enrollment) }
      : { label: words.end.action, icon: IconX, run: () => end(enrollment), isDangerous: true },
  ];
}

function EnrollDialog({ onClose }: { onClose(): void }) {
  const { studio } = useApi();
  const { values, problems, set, dialog } = useRecording({
    name,
    words,
    initial: { course_id: '', buyer_email: '' },
    contract: enrollment.create,
    send: (input, options) => studio.enrollments.create.mutate(enrollment.create.parse(input), options),
    onClose,
  });
  return dialog(
    <RecordSelect
      label={words.course}
      resource={course}
      value={values.course_id}
      error={describeProblem(problems.course_id)}
      onChange={(id) => set('course_id', id)}
    />,
  );
}
