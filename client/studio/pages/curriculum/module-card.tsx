import { ActionIcon, Button, Group, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { texts } from '../../texts/texts.ts';
import { IconPencil, IconPlus } from '../../ui/icons.ts';
import { SortableList } from '../../ui/sortable-list.tsx';
import classes from './curriculum.module.css';
import type { CurriculumPart } from './part-dialog.tsx';

type Module = OutputOf<ApiClient['studio']['curriculum']['get']>['modules'][number];

interface ModuleCardProps {
  module: Omit<Module, 'lessons'> & { lessons: readonly Module['lessons'][number][] };
  isReadOnly: boolean;
  handle: ReactNode;
  onEdit(part: CurriculumPart): void;
}

export function ModuleCard({ module, isReadOnly, handle, onEdit }: ModuleCardProps) {
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
            aria-label={texts.common.editOne(title)}
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
          {texts.curriculum.addLesson}
        </Button>
      )}
    </>
  );
}
