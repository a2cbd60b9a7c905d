import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useAccountStorage } from '../../data/api.tsx';
import { useRights } from '../../data/permissions.ts';
import { type NamedField, type Shape, shapeOf, singularOf, titleOf } from '../../data/record-shape.ts';
import { useProblemFocus } from '../../forms/form-view.tsx';
import { codeOf } from '../../strings/errors.ts';
import { describeProblem } from '../../strings/failures.ts';
import { labelOf } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Failed } from '../../ui/pending.tsx';
import { isDialogOpen, useCommandKey } from '../../ui/use-command-key.ts';
import { useCovering } from '../../ui/use-covering.ts';
import { FormNotices } from './form-notices.tsx';
import { RecordBar } from './record-bar.tsx';
import { RecordField, TitleInput } from './record-field.tsx';
import classes from './record-form.module.css';
import { SharingSection } from './sharing-section.tsx';
import { useDeletion } from './use-deletion.ts';
import { OpenRecordProvider, type RecordEditor, useRecordEditor } from './use-record-editor.ts';

interface RecordFormProps {
  resource: Resource;
  id: string;
  /** Name in browser storage for the edits of a new record. */
  draftKey: string;
  onCreated(id: string): void;
}

/** Form of any record. Inputs are derived from the resource's fields. */
export function RecordForm({ resource, id, draftKey, onCreated }: RecordFormProps) {
  const shape = useMemo(() => shapeOf(resource), [resource]);
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [refusals, setRefusals] = useState(0);
  const container = useProblemFocus<HTMLDivElement>(refusals);
  const refuse = () => {
    setVisited(new Set(Object.keys(resource.fields)));
    setRefusals((current) => current + 1);
  };
  const { mayPublish, mayCreate, mayChange } = useRights(resource);
  const editor = useRecordEditor({ resource, id, draftKey, onCreated, onRefused: refuse });
  const remove = useRemoval(resource, editor);
  const leave = (name: string) => () => setVisited((current) => new Set(current).add(name));
  const shownProblem = (name: string) =>
    visited.has(name) ? describeProblem(editor.problems[name]) : undefined;
  const isRefused = (fields: readonly NamedField[]) => fields.some(([name]) => shownProblem(name));
  const details = useDetails(shape, {
    isNew: editor.isNew,
    refusals,
    isRefused: isRefused([...shape.side, ...shape.sharing]),
    isTextRefused: Boolean(shownProblem(shape.title)) || isRefused(shape.main),
  });
  const isReadOnly = editor.saved ? !mayChange(editor.saved) : !mayCreate;
  useKeys(shape, editor, { isReadOnly, mayPublish });
  const title = titleOf(shape, editor.values);
  const heading = title || strings.records.new(singularOf(resource));
  useDocumentTitle(`${heading} · ${strings.product}`);
  // A failed re-read keeps the form and its edits. A deleted record can no longer be saved, so show the error.
  if (editor.loadError && (!editor.saved || isGone(editor.loadError)))
    return <Failed error={editor.loadError} />;
  if (!editor.isNew && !editor.saved) return <FormSkeleton />;

  const inputFor = (named: NamedField) => {
    const [name] = named;
    const problem = visited.has(name) || !(name in editor.edits) ? shownProblem(name) : undefined;
    return (
      <RecordField
        key={name}
        {...{ named, problem }}
        value={editor.values[name]}
        onChange={(value) => editor.change(name, value)}
        onLeave={leave(name)}
      />
    );
  };
  const titleLabel = labelOf(shape.title, resource.fields[shape.title]);

  return (
    <OpenRecordProvider value={{ resource, shape, editor, isReadOnly, mayPublish, remove, refuse }}>
      <div ref={container} className={classes.form} data-written={shape.isWritten}>
        <VisuallyHidden component="h1">{heading}</VisuallyHidden>
        <RecordBar details={details} />
        <fieldset className={classes.columns} disabled={isReadOnly}>
          <div className={classes.main} inert={details.covers}>
            {!details.covers && <FormNotices />}
            <TitleInput
              label={titleLabel}
              placeholder={strings.records.titleOf(resource.name, titleLabel)}
              value={title}
              problem={shownProblem(shape.title)}
              autoFocus={editor.isNew && !isReadOnly}
              onChange={(value) => editor.change(shape.title, value)}
              onLeave={leave(shape.title)}
            />
            <Stack gap="lg">{shape.main.map(inputFor)}</Stack>
          </div>
          {details.isOpen && (
            <aside
              ref={details.covers ? focusOn : undefined}
              className={classes.side}
              aria-label={strings.records.details}
              tabIndex={-1}
            >
              {details.covers && <FormNotices />}
              <Stack gap="md">
                {shape.side.map(inputFor)}
                {shape.sharing.length > 0 && (
                  <SharingSection inputFor={inputFor} isRefused={isRefused(shape.sharing)} />
                )}
              </Stack>
            </aside>
          )}
        </fieldset>
      </div>
    </OpenRecordProvider>
  );
}

/** Binds Control+S to saving, and Control+Enter to publishing a draft or saving other records. */
function useKeys(
  { hasDrafts }: Shape,
  { isDraft, save, publish }: RecordEditor,
  { isReadOnly, mayPublish }: { isReadOnly: boolean; mayPublish: boolean },
) {
  useCommandKey('S', () => {
    if (!isReadOnly) save();
  });
  useCommandKey('Enter', () => {
    if (isDialogOpen() || isReadOnly || !mayPublish) return;
    if (hasDrafts && isDraft) publish();
    else save();
  });
}

interface RefusalState {
  isNew: boolean;
  /** Number of refusals since the form was opened. */
  refusals: number;
  isRefused: boolean;
  isTextRefused: boolean;
}

/**
 * State of the details panel. It starts closed for a new record with a text, and if it would cover the text. A refused field
 * in it opens it. Beside the text it then stays open; in front of the text it opens only if the text itself is not refused.
 */
function useDetails({ isWritten }: Shape, { isNew, refusals, isRefused, isTextRefused }: RefusalState) {
  // Same breakpoint as in `record-form.module.css`.
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const isOver = isWritten && isNarrow;
  const [isOpenOver, setOpenOver] = useState(false);
  const [isOpenBeside, setOpenBeside] = useState(!(isWritten && isNew));
  const [shownFor, setShownFor] = useState(0);
  if (refusals !== shownFor && (isRefused || isTextRefused)) {
    setShownFor(refusals);
    if (isOver) setOpenOver(!isTextRefused);
    if (isRefused) setOpenBeside(true);
  }
  const covers = isOver && isOpenOver;
  const button = useCovering<HTMLButtonElement>(covers, () => setOpenOver(false));
  const setOpen = isOver ? setOpenOver : setOpenBeside;
  return {
    button,
    /** True if the panel is in front of the text. */
    covers,
    isOpen: isOver ? isOpenOver : isOpenBeside || isRefused,
    toggle: () => setOpen((known) => !known),
  };
}

const focusOn = (element: HTMLElement | null) => element?.focus({ preventScroll: true });

/** Returns a function that moves the record to the trash and then opens the list. */
function useRemoval(resource: Resource, { id, saved }: RecordEditor) {
  const navigate = useNavigate();
  const { unsaved } = useAccountStorage();
  const { collection } = resource;
  const remove = useDeletion({
    resource,
    onDeleted: () => {
      unsaved.keep(collection, id, {});
      return navigate({ to: '/$collection', params: { collection }, ignoreBlocker: true });
    },
  });
  return () => remove([{ ...saved, id }]);
}

const FormSkeleton = () => (
  <Stack p={40} maw={760} mx="auto" gap="lg" aria-label={strings.common.loading} role="status">
    <Skeleton h={40} w="70%" />
    <Skeleton h={16} />
    <Skeleton h={16} w="90%" />
    <Skeleton h={16} w="80%" />
  </Stack>
);

const isGone = (error: unknown) => codeOf(error) === 'not_found';
