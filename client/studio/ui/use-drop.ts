import { type DragEvent, useState } from 'react';

/** Files that are dropped on what `props` are given to, and whether some are held over it. */
export function useDrop(onFiles: (files: File[]) => void) {
  const [isOver, setOver] = useState(false);
  const props = {
    'data-over': isOver,
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setOver(isOpen(event));
    },
    onDragLeave: (event: DragEvent) =>
      !event.currentTarget.contains(asNode(event.relatedTarget)) && setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      if (isOpen(event)) onFiles([...event.dataTransfer.files]);
    },
  };
  return { isOver, props };
}

/** Whether it stands in no form that can only be read. */
const isOpen = ({ currentTarget }: DragEvent) => currentTarget.closest('fieldset:disabled') === null;

const asNode = (target: EventTarget | null) => (target instanceof Node ? target : null);
