import { Alert, Button, Group, Text } from '@mantine/core';
import { messageFor } from '../../strings/errors.ts';
import { labelOf } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { later } from '../../ui/load-on-use.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { useOpenRecord } from './use-record-editor.ts';

const ConflictDialog = later(() => import('../../forms/conflict-dialog.tsx'));

/** Notices above a record's form: read-only access, a failed save, conflicts, restored edits. */
export function FormNotices() {
  const { briefly } = useTimeFormat();
  const { resource, editor, isReadOnly } = useOpenRecord();
  const { saveError, conflicts, restoredFrom, edits, isSavedByItself } = editor;
  const hasConflicts = conflicts.length > 0;
  const isRestored = restoredFrom && Object.keys(edits).length > 0 && !isSavedByItself && !hasConflicts;
  return (
    <>
      {isReadOnly && (
        <Alert role="status" mb="md">
          {strings.records.readOnly}
        </Alert>
      )}
      {saveError && (
        <Notice
          color="red"
          words={messageFor(saveError)}
          action={strings.common.retry}
          onAction={editor.retry}
        />
      )}
      {hasConflicts && (
        <Notice
          color="yellow"
          words={strings.conflict.banner(
            editor.writer,
            conflicts.map((name) => labelOf(name, resource.fields[name])).join(', '),
          )}
          action={strings.conflict.compare}
          onAction={() => editor.compare(true)}
        />
      )}
      {isRestored && (
        <Notice
          words={strings.records.restored(briefly(restoredFrom))}
          action={strings.records.discard}
          isDisabled={editor.isSaving}
          onAction={editor.discard}
        />
      )}
      {editor.isComparing && (
        <ConflictDialog
          writer={editor.writer}
          conflict={{
            names: conflicts,
            fields: resource.fields,
            mine: edits,
            theirs: editor.saved ?? {},
            resolve: editor.resolve,
            close: () => editor.compare(false),
          }}
        />
      )}
    </>
  );
}

interface NoticeProps {
  color?: 'red' | 'yellow';
  words: string;
  action: string;
  isDisabled?: boolean;
  onAction(): void;
}

const Notice = ({ color, words: labels, action, isDisabled = false, onAction }: NoticeProps) => (
  <Alert color={color ?? 'iris'} role={color ? 'alert' : 'status'} mb="md">
    <Group justify="space-between">
      <Text fz="sm" flex="1 1 280px">
        {labels}
      </Text>
      <Button size="compact-sm" variant="default" disabled={isDisabled} onClick={onAction}>
        {action}
      </Button>
    </Group>
  </Alert>
);
