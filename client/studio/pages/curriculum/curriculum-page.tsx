import { DragDropContext, Draggable, Droppable, type DropResult } from '@hello-pangea/dnd';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { resources } from '../../../../shared/contract/resources/index.ts';
import { useApi } from '../../data/api.tsx';
import { curriculumQuery } from '../../data/queries.ts';
import { queryOf } from '../../data/query-of.ts';
import { useRights } from '../../data/rights.ts';
import { texts } from '../../texts/texts.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { Empty } from '../../ui/empty.tsx';
import { IconListTree, IconPlus } from '../../ui/icons.ts';
import { nonce } from '../../ui/nonce.ts';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { toastError } from '../../ui/toast.tsx';
import classes from './curriculum.module.css';
import { ModuleCard } from './module-card.tsx';
import { type CurriculumPart, PartDialog } from './part-dialog.tsx';
import { useReorder } from './use-reorder.ts';

/** The modules and lessons of one course, in their order. */
export default function CurriculumPage() {
  const { id } = useParams({ from: '/courses/$id/curriculum' });
  const api = useApi();
  const curriculum = useQuery(curriculumQuery(api, id));
  const course = useQuery(queryOf(['records', 'courses', 'one', id], api.studio.courses.get, { id }));
  const { edited, open, close } = useEditedPart();
  const reorder = useReorder(id);
  const { mayChange } = useRights(resources.courses);
  const isReadOnly = !course.data || !mayChange(course.data);
  if (curriculum.error && !curriculum.data) return <Pending query={curriculum} />;
  const modules = curriculum.data ? reorder.onTop(curriculum.data).modules : [];
  const drop = ({ type, source, destination }: DropResult) => {
    if (!destination || destination.droppableId !== source.droppableId) return;
    if (destination.index === source.index) return;
    const move = { from: source.index, to: destination.index };
    if (type === 'module') reorder.modules(move);
    else reorder.lessons(source.droppableId, move);
  };
  const add = isReadOnly ? null : (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => open({ kind: 'modules', parent: { course_id: id }, record: null })}
    >
      {texts.curriculum.addModule}
    </Button>
  );
  return (
    <Screen
      narrow
      title={course.data ? texts.curriculum.of(course.data.title) : texts.curriculum.title}
      lead={texts.curriculum.lead}
      actions={add}
      back={<BackLink to={`/courses/${id}`}>{texts.curriculum.course}</BackLink>}
    >
      {!curriculum.data && <Pending query={curriculum} />}
      {curriculum.data && modules.length === 0 && (
        <Empty
          icon={IconListTree}
          title={texts.curriculum.none}
          lead={texts.curriculum.noneLead}
          action={add}
        />
      )}
      <DragDropContext onDragEnd={drop} nonce={nonce}>
        <Droppable droppableId="modules" type="module">
          {({ innerRef, droppableProps, placeholder }) => (
            <div ref={innerRef} {...droppableProps} className={classes.modules}>
              {modules.map((module, index) => (
                <Draggable key={module.id} draggableId={module.id} index={index} isDragDisabled={isReadOnly}>
                  {(drag, { isDragging }) => (
                    <div
                      ref={drag.innerRef}
                      {...drag.draggableProps}
                      className={classes.module}
                      data-dragged={isDragging}
                    >
                      <ModuleCard {...{ module, isReadOnly }} handle={drag.dragHandleProps} onEdit={open} />
                    </div>
                  )}
                </Draggable>
              ))}
              {placeholder}
            </div>
          )}
        </Droppable>
      </DragDropContext>
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

/** Which part is open. Lessons are listed without their bodies, so that one is read before its form stands there. */
function useEditedPart() {
  const api = useApi();
  const [edited, setEdited] = useState<CurriculumPart | null>(null);
  return {
    edited,
    async open(part: CurriculumPart) {
      if (part.kind === 'modules' || !part.record) return setEdited(part);
      try {
        const record = await api.studio.lessons.get.query({ id: part.record.id });
        setEdited((current) => current ?? { ...part, record });
      } catch (error) {
        toastError(error);
      }
    },
    /** What is saved late may belong to one that was left since. */
    close: (part: CurriculumPart) => setEdited((current) => (current === part ? null : current)),
  };
}
