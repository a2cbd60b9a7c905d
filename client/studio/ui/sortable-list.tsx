import {
  DragDropContext,
  Draggable,
  type DraggableProvidedDragHandleProps,
  Droppable,
  type DropResult,
} from '@hello-pangea/dnd';
import { VisuallyHidden } from '@mantine/core';
import { IconGripVertical } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { strings } from '../strings/ui-strings.ts';
import { nonce } from './nonce.ts';
import classes from './sortable-list.module.css';

export interface Move {
  from: number;
  to: number;
}

interface SortableAreaProps {
  /** Called with the name of the list in which a row was moved. */
  onMove(list: string, move: Move): void;
  children: ReactNode;
}

/** Provider around lists whose rows can be reordered. */
export function SortableArea({ onMove, children }: SortableAreaProps) {
  const drop = ({ source, destination }: DropResult) => {
    if (destination?.droppableId === source.droppableId && destination.index !== source.index)
      onMove(source.droppableId, { from: source.index, to: destination.index });
  };
  return (
    <DragDropContext onDragEnd={drop} nonce={nonce}>
      {children}
    </DragDropContext>
  );
}

interface SortableListProps<Row> {
  name: string;
  rows: readonly Row[];
  titleOf(row: Row): string;
  isFixed: boolean;
  className?: string | undefined;
  rowClassName: string | undefined;
  /** Renders a row; `handle` is null if the row cannot be moved. */
  children(row: Row, handle: ReactNode): ReactNode;
}

export const SortableList = <Row extends { id: string }>(props: SortableListProps<Row>) => {
  const { name, rows, titleOf, isFixed, className, rowClassName, children } = props;
  return (
    <Droppable droppableId={name} type={name}>
      {({ innerRef, droppableProps, placeholder }) => (
        <div ref={innerRef} {...droppableProps} className={className}>
          {rows.map((row, index) => (
            <Draggable key={row.id} draggableId={row.id} index={index} isDragDisabled={isFixed}>
              {(drag, { isDragging }) => (
                <div
                  ref={drag.innerRef}
                  {...drag.draggableProps}
                  className={rowClassName}
                  data-dragged={isDragging}
                >
                  {children(row, isFixed ? null : <Handle title={titleOf(row)} of={drag.dragHandleProps} />)}
                </div>
              )}
            </Draggable>
          ))}
          {placeholder}
        </div>
      )}
    </Droppable>
  );
};

/** Handle that moves a row by pointer or keyboard. */
const Handle = ({ title, of }: { title: string; of: DraggableProvidedDragHandleProps | null }) => (
  <span {...of} className={classes.handle}>
    <IconGripVertical size={16} aria-hidden />
    <VisuallyHidden>{strings.curriculum.move(title)}</VisuallyHidden>
  </span>
);
