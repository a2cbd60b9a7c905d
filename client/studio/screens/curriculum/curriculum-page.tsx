import { ActionIcon, Button, Group, Text, UnstyledButton } from '@mantine/core';
import { IconListTree, IconPencil, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { resources } from '../../../../shared/contract/resources/index.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { useRights } from '../../data/permissions.ts';
import { curriculumQuery, queryOf } from '../../data/queries.ts';
import { useOrders } from '../../records/use-orders.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Empty, Pending } from '../../ui/pending.tsx';
import { BackLink, Screen } from '../../ui/screen.tsx';
import { SortableArea, SortableList } from '../../ui/sortable-list.tsx';
import { toastError } from '../../ui/toast.tsx';
import classes from './curriculum.module.css';
import { type CurriculumPart, PartDialog } from './part-dialog.tsx';

/** Page with the modules and lessons of one course, in order. */
export default function CurriculumPage() {
  const { id } = useParams({ from: '/courses/$id/curriculum' });
  const api = useApi();
  const curriculum = useQuery(curriculumQuery(api, id));
  const course = useQuery(queryOf(['records', 'courses', 'one', id], api.studio.courses.get, { id }));
  const { edited, open, close } = useEditedPart();
  const orders = useOrders({
    refreshes: curriculumQuery(api, id).queryKey,
    send: (list, ids) => api.studio[list === 'modules' ? 'modules' : 'lessons'].reorder.mutate({ ids }),
  });
  const { mayChange } = useRights(resources.courses);
  const isReadOnly = !course.data || !mayChange(course.data);
  if (curriculum.error && !curriculum.data) return <Pending query={curriculum} />;
  const modules = orders
    .of('modules', curriculum.data?.modules ?? [])
    .map((module) => ({ ...module, lessons: orders.of(module.id, module.lessons) }));
  const lessonsOf = (list: string) => modules.find((module) => module.id === list)?.lessons ?? [];
  const add = isReadOnly ? null : (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => open({ kind: 'modules', parent: { course_id: id }, record: null })}
    >
      {strings.curriculum.addModule}
    </Button>
  );
  return (
    <Screen
      narrow
      title={course.data ? strings.curriculum.of(course.data.title) : strings.curriculum.title}
      lead={strings.curriculum.lead}
      actions={add}
      back={<BackLink to={`/courses/${id}`}>{strings.curriculum.course}</BackLink>}
    >
      {!curriculum.data && <Pending query={curriculum} />}
      {curriculum.data && modules.length === 0 && (
        <Empty
          icon={IconListTree}
          title={strings.curriculum.none}
          lead={strings.curriculum.noneLead}
          action={add}
        />
      )}
      <SortableArea
        onMove={(list, move) => orders.move(list, list === 'modules' ? modules : lessonsOf(list), move)}
      >
        <SortableList
          name="modules"
          rows={modules}
          titleOf={({ title }) => title}
          isFixed={isReadOnly}
          className={classes.modules}
          rowClassName={classes.module}
        >
          {(module, handle) => <ModuleCard {...{ module, isReadOnly, handle }} onEdit={open} />}
        </SortableList>
      </SortableArea>
      {edited && (
        <PartDialog
          key={edited.record?.id ?? `${edited.kind}${JSON.stringify(edited.parent)}`}
          courseId={id}
          part={edited}
          onClose={() => close(edited)}
        />
      )}
    </Screen>
  );
}

/** Returns the part whose form is open. Lists contain lessons without bodies, so a lesson is read before its form opens. */
function useEditedPart() {
  const api = useApi();
  const [edited, setEdited] = useState<CurriculumPart | null>(null);
  const wanted = useRef<CurriculumPart>(null);
  return {
    edited,
    async open(part: CurriculumPart) {
      wanted.current = part;
      if (part.kind === 'modules' || !part.record) return setEdited(part);
      try {
        const record = await api.studio.lessons.get.query({ id: part.record.id });
        // Answers may arrive late: open only the part that was clicked last.
        if (wanted.current === part) setEdited((current) => current ?? { ...part, record });
      } catch (error) {
        toastError(error);
      }
    },
    /**
     * Closes the form of `part`. Does nothing if another form is open, because a late answer may belong to one closed
     * before.
     */
    close: (part: CurriculumPart) => setEdited((current) => (current === part ? null : current)),
  };
}

type Module = OutputOf<ApiClient['studio']['curriculum']['get']>['modules'][number];

interface ModuleCardProps {
  module: Omit<Module, 'lessons'> & { lessons: readonly Module['lessons'][number][] };
  isReadOnly: boolean;
  handle: ReactNode;
  onEdit(part: CurriculumPart): void;
}

function ModuleCard({ module, isReadOnly, handle, onEdit }: ModuleCardProps) {
  const { id, title, course_id, lessons } = module;
  const parent = { module_id: id };
  return (
    <>
      <Group gap={6} wrap="nowrap" className={classes.head}>
        {handle}
        <Text fw={600} fz={15} flex={1} miw={0} py={6} component="h2">
          {title}
        </Text>
        {!isReadOnly && (
          <ActionIcon
            aria-label={strings.common.editOne(title)}
            onClick={() => onEdit({ kind: 'modules', parent: { course_id }, record: module })}
          >
            <IconPencil size={16} />
          </ActionIcon>
        )}
      </Group>
      <SortableList
        name={id}
        rows={lessons}
        titleOf={(lesson) => lesson.title}
        isFixed={isReadOnly}
        rowClassName={classes.lesson}
      >
        {(lesson, lessonHandle) => (
          <>
            {lessonHandle}
            <UnstyledButton
              className={classes.open}
              disabled={isReadOnly}
              onClick={() => onEdit({ kind: 'lessons', parent, record: lesson })}
            >
              {lesson.title}
            </UnstyledButton>
          </>
        )}
      </SortableList>
      {!isReadOnly && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          m={8}
          onClick={() => onEdit({ kind: 'lessons', parent, record: null })}
        >
          {strings.curriculum.addLesson}
        </Button>
      )}
    </>
  );
}
