import { type DragEvent, useState } from 'react';

/** Returns the props of an element that accepts dropped files, and whether files are over it. */
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

/** True unless the inputs of the form around the element are disabled. */
const isOpen = ({ currentTarget }: DragEvent) => currentTarget.closest('fieldset:disabled') === null;

const asNode = (target: EventTarget | null) => (target instanceof Node ? target : null);
