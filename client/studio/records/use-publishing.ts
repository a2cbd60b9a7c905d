import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useKept } from '../data/api.tsx';
import { useIsHere } from '../fields/use-present.ts';
import { texts } from '../texts/texts.ts';
import { say, sayFailed } from '../ui/toast.tsx';
import { type Shape, titleOf } from './shape.ts';
import type { Standing } from './standing.ts';
import { useDeletion } from './use-deletion.ts';
import type { RecordEditor } from './use-record-editor.ts';

interface PublishingOptions {
  resource: Resource;
  shape: Shape;
  editor: RecordEditor;
  /** A field stands in the way. */
  onRefused(): void;
}

/** What an owner does with a record as a whole, one thing after the other: what is done already when its turn has come is not done again. */
export function usePublishing({ resource, shape, editor, onRefused }: PublishingOptions) {
  const navigate = useNavigate();
  const { unsaved } = useKept();
  const { collection } = resource;
  const { remove, dialog } = useDeletion({
    resource,
    shape,
    onDeleted: () => {
      unsaved.keep(collection, editor.id, {});
      return navigate({ to: '/$collection', params: { collection }, ignoreBlocker: true });
    },
  });
  const titleNow = (now: Standing) => titleOf(shape, now.values) || texts.records.untitled;
  const isHere = useIsHere();
  const failed = useRef<{ error: unknown; again(): void }>(null);
  const act = (work: (now: Standing) => Promise<void>): Promise<void> =>
    editor.inTurn(work).catch((error: unknown) => {
      failed.current = { error, again: () => void act(work) };
      if (isHere()) onRefused();
      else sayFailed(error);
    });
  const tell = (is_draft: boolean, title: string) => {
    const told = is_draft ? texts.records.unpublished : texts.records.publishedNow;
    // Undo brings nothing that was typed: since then more may have been saved.
    const undo = async () => {
      await editor.setDraft(!is_draft);
      tell(!is_draft, title);
    };
    say(told(title), () => void act(undo));
  };
  const turnInto = (is_draft: boolean) =>
    act(async (now) => {
      if (now.isDraft === is_draft) return;
      await editor.write({ is_draft });
      tell(is_draft, titleNow(now));
    });
  const save = () =>
    act(async (now) => {
      if (!now.hasEdits) return;
      await editor.write(now.isNew && shape.hasDrafts ? { is_draft: true } : {});
      if (now.isDraft) return;
      say(now.isNew ? texts.records.created(titleNow(now)) : texts.records.updated(titleNow(now)));
    });
  const [publishes, setPublishes] = useState(0);
  const publish = () => {
    setPublishes((known) => known + 1);
    void turnInto(false).finally(() => setPublishes((known) => known - 1));
  };
  return {
    isDraft: editor.isDraft,
    isPublishing: publishes > 0 || editor.isPublishing,
    title: titleNow(editor),
    dialog,
    publish,
    unpublish: () => void turnInto(true),
    /** Saves what was typed, as the record stands. */
    save: () => void save(),
    /** Does again what failed. */
    retry: () => {
      const last = failed.current;
      if (last && last.error === editor.saveError) last.again();
      else void save();
    },
    remove: () => remove([{ ...editor.saved, id: editor.id }]),
  };
}

export type Publishing = ReturnType<typeof usePublishing>;
