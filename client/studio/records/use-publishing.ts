import { useNavigate } from '@tanstack/react-router';
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
  const unpublish = () =>
    attempt(editor.save({ is_draft: true }), () => say(texts.records.unpublished(title), publish));
  const publish = () =>
    attempt(editor.save({ is_draft: false }), () => say(texts.records.publishedNow(title), unpublish));
  return {
    isDraft: isDraftNow,
    title,
    dialog,
    publish,
    unpublish,
    /** Saves what was typed, as the record stands. */
    save: () => {
      if (Object.keys(editor.edits).length === 0) return;
      const asDraft = editor.isNew && shape.hasDrafts ? { is_draft: true } : {};
      attempt(editor.save(asDraft), () => {
        if (!isDraftNow) say(editor.isNew ? texts.records.created(title) : texts.records.updated(title));
      });
    },
    remove: () => remove([{ ...editor.saved, id: editor.id }]),
  };
}

export type Publishing = ReturnType<typeof usePublishing>;
