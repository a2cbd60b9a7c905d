import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { texts } from '../texts/texts.ts';
import { say } from '../ui/toast.tsx';
import { isDraft, type Shape, titleOf } from './shape.ts';
import { keepUnsaved } from './unsaved.ts';
import { useDeletion } from './use-deletion.ts';
import type { RecordEditor } from './use-record-editor.ts';

interface PublishingOptions {
  resource: Resource;
  shape: Shape;
  editor: RecordEditor;
  /** A field stands in the way. */
  onRefused(): void;
}

type Act = 'save' | 'publish' | 'unpublish';

/** What an owner does with a record as a whole. */
export function usePublishing({ resource, shape, editor, onRefused }: PublishingOptions) {
  const navigate = useNavigate();
  const { collection } = resource;
  const { remove, dialog } = useDeletion({
    resource,
    shape,
    onDeleted: () => {
      keepUnsaved(collection, editor.id, {});
      return navigate({ to: '/$collection', params: { collection }, ignoreBlocker: true });
    },
  });
  const title = titleOf(shape, editor.values) || texts.records.untitled;
  const isDraftNow = shape.hasDrafts && (editor.isNew || isDraft(editor.values));
  const attempt = (work: Promise<unknown>, done: () => void) => void work.then(done, onRefused);
  const turnInto = (is_draft: boolean, work: Promise<unknown>): void =>
    attempt(work, () => {
      const told = is_draft ? texts.records.unpublished : texts.records.publishedNow;
      // Undo brings nothing that was typed: since then more may have been saved.
      say(told(title), () => turnInto(!is_draft, editor.setDraft(!is_draft)));
    });
  const save = () => {
    if (Object.keys(editor.edits).length === 0) return;
    const asDraft = editor.isNew && shape.hasDrafts ? { is_draft: true } : {};
    attempt(editor.save(asDraft), () => {
      if (!isDraftNow) say(editor.isNew ? texts.records.created(title) : texts.records.updated(title));
    });
  };
  const acts: Record<Act, () => void> = {
    save,
    publish: () => isDraftNow && turnInto(false, editor.save({ is_draft: false })),
    unpublish: () => turnInto(true, editor.save({ is_draft: true })),
  };
  const [wanted, setWanted] = useState<Act | null>(null);
  // One after the other: beside a record that is being created a second one would be, and what is done may need no second time.
  useEffect(() => {
    if (!wanted || editor.isSaving || editor.isBusy()) return;
    setWanted(null);
    acts[wanted]();
  }, [wanted, editor.isSaving]);
  return {
    isDraft: isDraftNow,
    isPublishing: wanted === 'publish' || editor.isPublishing,
    title,
    dialog,
    publish: () => setWanted('publish'),
    unpublish: () => setWanted('unpublish'),
    /** Saves what was typed, as the record stands; whatever else is wanted saves it, too. */
    save: () => setWanted((known) => known ?? 'save'),
    remove: () => remove([{ ...editor.saved, id: editor.id }]),
  };
}

export type Publishing = ReturnType<typeof usePublishing>;
