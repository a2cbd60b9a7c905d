import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { Alert, Button, Group, SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { minutesToRead } from '../../../../shared/contract/features/minutes-to-read.ts';
import { strings } from '../../strings/ui-strings.ts';
import { nonce } from '../../ui/nonce.ts';
import { Pending } from '../../ui/pending.tsx';
import { type PreviewValues, useFormServices, useUploading } from '../form-context.tsx';
import { isTurnable, turnHtml } from './convert-html.ts';
import { changesTo, extensionsFor, fromOutside } from './extensions.ts';
import { createFilesInsertion } from './insert-files.ts';
import classes from './markdown-editor.module.css';
import previewClasses from './preview.module.css';
import { Toolbar } from './toolbar.tsx';

interface MarkdownEditorProps {
  label: string;
  placeholder: string;
  value: string;
  isMain: boolean;
  isInvalid: boolean;
  /** IDs of the describing elements; may be empty. */
  describedBy: string;
  onChange(value: string): void;
  onBlur?: (() => void) | undefined;
}

const modes = [
  { value: 'write', label: strings.editor.write },
  { value: 'preview', label: strings.editor.preview },
];

/** Editor for Markdown source. It shows and stores the source itself, so nothing is converted or lost. */
export default function MarkdownEditor(props: MarkdownEditorProps) {
  const { value, isMain, isInvalid, describedBy } = props;
  const [isPreview, setPreview] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const { upload } = useFormServices();
  const { during } = useUploading();
  const insertFiles = useMemo(() => createFilesInsertion(upload, during), [upload, during]);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (!container.current) return;
    const { placeholder } = latest.current;
    const made = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          EditorView.contentAttributes.of(() => attributesOf(latest.current)),
          extensionsFor({
            placeholder,
            onChange: (text) => latest.current.onChange(text),
            onLeave: () => latest.current.onBlur?.(),
            onFiles: insertFiles,
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [insertFiles]);
  useEffect(() => {
    // Applies outside changes, such as discarded edits. Typed text is in the editor already.
    const changes = view.current && changesTo(value, view.current.state.doc.toString());
    if (changes) view.current?.dispatch({ changes, annotations: fromOutside.of(true) });
  }, [value]);
  // An empty transaction makes the editor recompute its attributes.
  useEffect(() => view.current?.dispatch({}), [isInvalid, describedBy]);
  const read = useDeferredValue(value);
  const isHtml = useMemo(() => isTurnable(read), [read]);
  const turnToMarkdown = () => {
    const editor = view.current;
    const text = editor?.state.doc.toString() ?? '';
    if (!editor || !isTurnable(text)) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: turnHtml(text) } });
    editor.focus();
  };
  return (
    <div className={classes.editor} data-main={isMain}>
      <Group justify="space-between" wrap="nowrap" className={classes.toolbar}>
        {isPreview ? <span /> : <Toolbar view={view} insertFiles={insertFiles} />}
        <SegmentedControl
          size="xs"
          flex="none"
          aria-label={strings.editor.mode}
          data={modes}
          value={isPreview ? 'preview' : 'write'}
          onChange={(mode) => setPreview(mode === 'preview')}
        />
      </Group>
      {isHtml && !isPreview && (
        <Alert role="status" color="gray" mt="xs" p="xs">
          <Group justify="space-between">
            {strings.editor.isHtml}
            <Button variant="default" size="xs" onClick={turnToMarkdown}>
              {strings.editor.toMarkdown}
            </Button>
          </Group>
        </Alert>
      )}
      {isPreview && <Preview label={props.label} content={value} />}
      <div ref={container} className={classes.text} hidden={isPreview} />
      <div className={classes.count}>{strings.editor.words(countWords(value), minutesToRead(value))}</div>
    </div>
  );
}

const attributesOf = ({ label, isInvalid, describedBy }: MarkdownEditorProps): Record<string, string> => ({
  'aria-label': label,
  ...(isInvalid && { 'aria-invalid': 'true' }),
  ...(describedBy !== '' && { 'aria-describedby': describedBy }),
});

const countWords = (text: string) => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0;

/**
 * Text as the site shows it, rendered and sanitized by the service. The frame runs no scripts and does not follow links. Its
 * images need the studio's origin.
 */
function Preview({ label, content }: { label: string; content: string }) {
  const services = useFormServices();
  const preview = useQuery({
    queryKey: ['preview', content],
    queryFn: ({ signal }) => services.preview(content, signal),
    gcTime: 0,
    staleTime: 'static',
  });
  if (!preview.data) return <Pending query={preview} skeleton={<Skeleton h={320} radius="md" />} />;
  return (
    <>
      {preview.data.is_plain && <Alert color="yellow">{strings.editor.shownPlain}</Alert>}
      <iframe
        className={previewClasses.frame}
        title={strings.editor.previewOf(label)}
        sandbox="allow-same-origin"
        srcDoc={pageOf(preview.data)}
      />
    </>
  );
}

/** Margins around the preview, small enough for the widest text to be as wide as on the site's page. */
const margins = 'body{padding:24px 8px}';

/** Returns a document with a text in the markup of the site's page. */
const pageOf = ({ html, css, dir, language, scheme }: PreviewValues) => `<!doctype html>
<html lang="${language}" class="${scheme}" dir="${dir}">
<head><base target="_blank"><style nonce="${nonce}">${css}${margins}</style></head>
<body class="page-article"><article>
<div class="body prose">${html}</div>
</article></body>
</html>`;
