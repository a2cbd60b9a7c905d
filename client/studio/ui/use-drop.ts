import { type DragEvent, useState } from 'react';

/** Files that are dropped on what `props` are given to, and whether some are held over it. */
export function useDrop(onFiles: (files: File[]) => void) {
  const [isOver, setOver] = useState(false);
  const props = {
    'data-over': isOver,
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) =>
      !event.currentTarget.contains(asNode(event.relatedTarget)) && setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      onFiles([...event.dataTransfer.files]);
    },
  };
  return { isOver, props };
}

const asNode = (target: EventTarget | null) => (target instanceof Node ? target : null);
