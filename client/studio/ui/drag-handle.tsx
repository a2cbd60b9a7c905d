import type { DraggableProvidedDragHandleProps } from '@hello-pangea/dnd';
import { VisuallyHidden } from '@mantine/core';
import { texts } from '../texts/texts.ts';
import classes from './drag-handle.module.css';
import { IconGripVertical } from './icons.ts';

interface DragHandleProps {
  title: string;
  handle: DraggableProvidedDragHandleProps | null;
}

/** By which a thing is moved to another place of its list, with a pointer or keys. */
export const DragHandle = ({ title, handle }: DragHandleProps) => (
  <span {...handle} className={classes.handle}>
    <IconGripVertical size={16} aria-hidden />
    <VisuallyHidden>{texts.curriculum.move(title)}</VisuallyHidden>
  </span>
);
