import { ActionIcon, Badge, Button, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Resource } from '../../../shared/contract/resource.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { IconChevronLeft, IconDots, IconEyeOff, IconHistory, IconTrash, IconX } from '../ui/icons.ts';
import classes from './record-form.module.css';
import { ScheduleButton } from './schedule-button.tsx';
import type { Shape } from './shape.ts';
import { StateBadge } from './state-badge.tsx';
import type { Publishing } from './use-publishing.ts';
import type { RecordEditor } from './use-record-editor.ts';

interface RecordBarProps {
  resource: Resource;
  shape: Shape;
  editor: RecordEditor;
  publishing: Publishing;
}

/** Above a record's form: where it belongs, how it stands, and what can be done with it as a whole. */
export function RecordBar({ resource, shape, editor, publishing }: RecordBarProps) {
  const { collection } = resource;
  return (
    <div className={classes.bar}>
      <Link to="/$collection" params={{ collection }} className={classes.back}>
        <IconChevronLeft size={16} aria-hidden />
        {capitalised(collection)}
      </Link>
      {editor.isNew ? (
        <Badge color="gray">{texts.records.notSavedYet}</Badge>
      ) : (
        <StateBadge record={editor.values} hasDrafts={shape.hasDrafts} />
      )}
      <span className={classes.state} role="status">
        {stateOf(editor)}
      </span>
      <div style={{ flex: 1 }} />
      {collection === 'courses' && !editor.isNew && (
        <Button component={Link} to={`/courses/${editor.id}/curriculum`} variant="default">
          {texts.curriculum.title}
        </Button>
      )}
      {shape.hasDrafts && publishing.isDraft && !editor.isNew && (
        <ScheduleButton resource={resource} editor={editor} title={publishing.title} />
      )}
      <PublishButton editor={editor} shape={shape} publishing={publishing} />
      {!editor.isNew && (
        <Menu position="bottom-end" shadow="md">
          <Menu.Target>
            <ActionIcon size={36} aria-label={texts.common.more}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              component={Link}
              to={`/${collection}/${editor.id}/history`}
              leftSection={<IconHistory size={15} />}
            >
              {texts.history.title}
            </Menu.Item>
            {Object.keys(editor.edits).length > 0 && !publishing.isDraft && (
              <Menu.Item leftSection={<IconX size={15} />} hiddenFrom="sm" onClick={editor.discard}>
                {texts.records.discard}
              </Menu.Item>
            )}
            {shape.hasDrafts && !publishing.isDraft && (
              <Menu.Item leftSection={<IconEyeOff size={15} />} onClick={publishing.unpublish}>
                {texts.records.unpublish}
              </Menu.Item>
            )}
            <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={publishing.remove}>
              {texts.common.delete}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  );
}

function PublishButton({ editor, shape, publishing }: Omit<RecordBarProps, 'resource'>) {
  const hasEdits = Object.keys(editor.edits).length > 0;
  if (shape.hasDrafts && publishing.isDraft) {
    return (
      <Button onClick={publishing.publish} disabled={editor.isSaving && editor.isNew}>
        {texts.records.publish}
      </Button>
    );
  }
  return (
    <>
      {hasEdits && !editor.isNew && (
        <Button variant="subtle" color="gray" visibleFrom="sm" onClick={editor.discard}>
          {texts.records.discard}
        </Button>
      )}
      <Button onClick={publishing.save} disabled={!hasEdits} loading={editor.isSaving}>
        {editor.isNew ? texts.records.create : texts.records.update}
      </Button>
    </>
  );
}

function stateOf({ isSaving, isNew, edits, saveError, isSavedByItself, conflicts }: RecordEditor): string {
  if (isSaving) return texts.common.saving;
  if (saveError || conflicts.length > 0) return texts.records.notSaved;
  const hasEdits = Object.keys(edits).length > 0;
  if (isNew) return '';
  if (!hasEdits) return texts.common.saved;
  return isSavedByItself ? texts.common.saving : texts.records.unsavedChanges;
}
