import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { isApiError } from '../../sdk/index.ts';
import { aboutField } from '../fields/about.ts';
import { FieldInput } from '../fields/field-input.tsx';
import { MarkdownInput } from '../fields/markdown-input.tsx';
import { useProblemFocus } from '../fields/use-problem-focus.ts';
import { labelOf } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { Failed } from '../ui/failed.tsx';
import { useCommandKey } from '../ui/use-command-key.ts';
import { FormNotices } from './form-notices.tsx';
import { RecordBar } from './record-bar.tsx';
import classes from './record-form.module.css';
import { type NamedField, shapeOf, titleOf } from './shape.ts';
import { TitleInput } from './title-input.tsx';
import { usePublishing } from './use-publishing.ts';
import { useRecordEditor } from './use-record-editor.ts';
import { useWhole } from './use-whole.ts';

interface RecordFormProps {
  resource: Resource;
  id: string;
  onCreated(id: string): void;
}

/** The form of any record: all of it is made from the resource's fields. */
export function RecordForm({ resource, id, onCreated }: RecordFormProps) {
  const shape = useMemo(() => shapeOf(resource), [resource]);
  const editor = useRecordEditor({ resource, id, onCreated });
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [refusals, setRefusals] = useState(0);
  const place = useProblemFocus<HTMLDivElement>(refusals);
  const refuse = () => {
    setVisited(new Set(Object.keys(resource.fields)));
    setRefusals((known) => known + 1);
  };
  const publishing = useWhole(usePublishing({ resource, shape, editor, onRefused: refuse }));
  useCommandKey('S', publishing.save);
  const title = titleOf(shape, editor.values);
  useEffect(() => {
    document.title = `${title || texts.records.new(resource.name)} · ${texts.product}`;
  }, [title, resource]);
  // What is typed into stays, whatever a later look at the record meets; one that is gone can't be saved any more.
  if (editor.loadError && (!editor.saved || isGone(editor.loadError)))
    return <Failed error={editor.loadError} />;
  if (!editor.isNew && !editor.saved) return <FormSkeleton />;

  const inputFor = ([name, field]: NamedField) => {
    const props = {
      value: editor.values[name],
      onChange: (value: unknown) => editor.change(name, value),
      problem: visited.has(name) || !(name in editor.edits) ? shownProblem(name) : undefined,
      onLeave: () => setVisited((known) => new Set(known).add(name)),
    };
    if (shape.isWritten && field.kind === 'markdown') {
      const { description } = aboutField(field);
      return (
        <MarkdownInput
          key={name}
          isMain
          label={labelOf(name)}
          description={description}
          placeholder={texts.editor.begin}
          value={String(props.value ?? '')}
          error={props.problem}
          onChange={props.onChange}
          onBlur={props.onLeave}
        />
      );
    }
    return <FieldInput key={name} name={name} field={field} {...props} />;
  };
  const shownProblem = (name: string) => (visited.has(name) ? editor.problems[name] : undefined);

  return (
    <div ref={place} className={classes.form} data-written={shape.isWritten}>
      <VisuallyHidden component="h1">{title || texts.records.new(resource.name)}</VisuallyHidden>
      <RecordBar {...{ resource, shape, editor, publishing }} onRefused={refuse} />
      <div className={classes.columns}>
        <div className={classes.main}>
          <FormNotices resource={resource} editor={editor} onRetry={publishing.retry} />
          <TitleInput
            label={labelOf(shape.title)}
            placeholder={texts.records.titleOf(resource.name)}
            value={title}
            problem={shownProblem(shape.title)}
            autoFocus={editor.isNew}
            onChange={(value) => editor.change(shape.title, value)}
            onLeave={() => setVisited((known) => new Set(known).add(shape.title))}
          />
          <Stack gap="lg">{shape.main.map(inputFor)}</Stack>
        </div>
        <aside className={classes.side} aria-label={texts.records.details}>
          <Stack gap="md">{shape.side.map(inputFor)}</Stack>
        </aside>
      </div>
      {publishing.dialog}
    </div>
  );
}

const FormSkeleton = () => (
  <Stack p={40} maw={760} mx="auto" gap="lg" aria-label={texts.common.loading} role="status">
    <Skeleton h={40} w="70%" />
    <Skeleton h={16} />
    <Skeleton h={16} w="90%" />
    <Skeleton h={16} w="80%" />
  </Stack>
);

const isGone = (error: unknown) => isApiError(error) && error.data.code === 'not_found';
