import { Draggable, type DraggableProvidedDragHandleProps, Droppable } from '@hello-pangea/dnd';
import { ActionIcon, Button, Group, Text, UnstyledButton } from '@mantine/core';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { texts } from '../../texts/texts.ts';
import { DragHandle } from '../../ui/drag-handle.tsx';
import { IconPencil, IconPlus } from '../../ui/icons.ts';
import classes from './curriculum.module.css';
import type { CurriculumPart } from './part-dialog.tsx';

type Module = OutputOf<ApiClient['studio']['curriculum']['get']>['modules'][number];

interface ModuleCardProps {
  module: Module;
  isReadOnly: boolean;
  handle: DraggableProvidedDragHandleProps | null;
  onEdit(part: CurriculumPart): void;
}

export function ModuleCard({ module, isReadOnly, handle, onEdit }: ModuleCardProps) {
  const { id, title, course_id, lessons } = module;
  const parent = { module_id: id };
  return (
    <>
      <Group gap={6} wrap="nowrap" className={classes.head}>
        {!isReadOnly && <DragHandle title={title} handle={handle} />}
        <Text fw={600} fz={15} flex={1} miw={0} py={6} component="h2">
          {title}
        </Text>
        {!isReadOnly && (
          <ActionIcon
            aria-label={texts.common.editOne(title)}
            onClick={() => onEdit({ kind: 'modules', parent: { course_id }, record: module })}
          >
            <IconPencil size={16} />
          </ActionIcon>
        )}
      </Group>
      <Droppable droppableId={id} type={`lessons of ${id}`}>
        {({ innerRef, droppableProps, placeholder }) => (
          <div ref={innerRef} {...droppableProps}>
            {lessons.map((lesson, index) => (
              <Draggable key={lesson.id} draggableId={lesson.id} index={index} isDragDisabled={isReadOnly}>
                {(drag, { isDragging }) => (
                  <div
                    ref={drag.innerRef}
                    {...drag.draggableProps}
                    className={classes.lesson}
                    data-dragged={isDragging}
                  >
                    {!isReadOnly && <DragHandle title={lesson.title} handle={drag.dragHandleProps} />}
                    <UnstyledButton
                      className={classes.open}
                      disabled={isReadOnly}
                      onClick={() => onEdit({ kind: 'lessons', parent, record: lesson })}
                    >
                      {lesson.title}
                    </UnstyledButton>
                  </div>
                )}
              </Draggable>
            ))}
            {placeholder}
          </div>
        )}
      </Droppable>
      {!isReadOnly && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          m={8}
          onClick={() => onEdit({ kind: 'lessons', parent, record: null })}
        >
          {texts.curriculum.addLesson}
        </Button>
      )}
    </>
  );
}
