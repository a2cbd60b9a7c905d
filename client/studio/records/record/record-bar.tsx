import { ActionIcon, Badge, Box, Button, Menu, Tooltip, useMantineTheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconChevronLeft, IconDots, IconLayoutSidebarRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import { capitalised } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { later } from '../../ui/load-on-use.tsx';
import { commandKeyLabel } from '../../ui/use-command-key.ts';
import { StateBadge } from '../state-badge.tsx';
import { type RecordAction, useRecordActions } from './record-actions.tsx';
import classes from './record-form.module.css';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { type RecordEditor, useOpenRecord } from './use-record-editor.ts';

const PreviewDialog = later(() => import('./preview-dialog.tsx'));

interface RecordBarProps {
  /** Panel with the fields beside the text. */
  details: { isOpen: boolean; button: RefObject<HTMLButtonElement | null>; toggle(): void };
}

/** Bar above a record's form: link to the list, state, and actions on the whole record. */
export function RecordBar({ details }: RecordBarProps) {
  const { resource, shape, editor, isReadOnly, mayPublish } = useOpenRecord();
  const { collection, labels } = resource;
  const isOfCv = labels.screen === 'cv';
  const list = isOfCv ? strings.cv.title : capitalised(collection);
  const [opened, setOpened] = useState<'schedule' | 'preview' | null>(null);
  const close = () => setOpened(null);
  const actions = useRecordActions({
    schedule: () => setOpened('schedule'),
    preview: () => setOpened('preview'),
  });
  return (
    <div className={classes.bar}>
      <Link
        to={isOfCv ? '/cv' : '/$collection'}
        params={{ collection }}
        className={classes.back}
        aria-label={list}
      >
        <IconChevronLeft size={16} aria-hidden />
        <Box component="span" visibleFrom="xs">
          {list}
        </Box>
      </Link>
      <div className={classes.standing}>
        {editor.isNew ? (
          <Badge color="gray">{strings.records.notSavedYet}</Badge>
        ) : (
          <StateBadge record={editor.values} hasDrafts={shape.hasDrafts} />
        )}
        <span className={classes.state} role="status" data-told={editor.isOffline || editor.isSavedByItself}>
          {stateOf(editor)}
        </span>
      </div>
      {!editor.isNew && actions.map((action) => <InBar key={action.label} {...action} />)}
      <Tooltip label={strings.records.details}>
        <ActionIcon
          ref={details.button}
          size={36}
          aria-label={strings.records.details}
          aria-expanded={details.isOpen}
          variant={details.isOpen ? 'light' : 'subtle'}
          onClick={details.toggle}
        >
          <IconLayoutSidebarRight size={18} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
      {(mayPublish || (!isReadOnly && !editor.isDraft)) && <PublishButton />}
      {!editor.isNew && <RecordMenu actions={actions} />}
      {opened === 'schedule' && <ScheduleDialog onClose={close} />}
      {opened === 'preview' && <PreviewDialog onClose={close} />}
    </div>
  );
}

/** Action in the bar. Below its breakpoint the menu contains it instead. */
function InBar({ label, icon: ActionShape, below, inBar, does }: RecordAction) {
  if (!inBar || !below) return null;
  if (inBar === 'button')
    return (
      <Button variant="default" visibleFrom={below} {...does}>
        {label}
      </Button>
    );
  return (
    <Tooltip label={label}>
      <ActionIcon size={36} visibleFrom={below} aria-label={label} {...does}>
        <ActionShape size={18} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  );
}

function PublishButton() {
  const { shape, editor } = useOpenRecord();
  const { isNew, hasEdits, isSaving } = editor;
  const publishes = shape.hasDrafts && editor.isDraft;
  return (
    <>
      {!publishes && hasEdits && !isNew && (
        <Button variant="subtle" color="gray" visibleFrom="sm" disabled={isSaving} onClick={editor.discard}>
          {strings.records.discard}
        </Button>
      )}
      <Tooltip label={commandKeyLabel('Enter')}>
        <Button
          onClick={publishes ? editor.publish : editor.save}
          disabled={!publishes && !hasEdits}
          loading={publishes ? editor.isPublishing : isSaving}
          aria-keyshortcuts="Control+Enter"
        >
          {publishes ? strings.records.publish : isNew ? strings.records.create : strings.records.update}
        </Button>
      </Tooltip>
    </>
  );
}

function stateOf(editor: RecordEditor): string {
  const { isSaving, isOffline, isNew, hasEdits, fit, saveError, isSavedByItself, conflicts } = editor;
  if (isOffline && hasEdits) return strings.records.offline;
  if (isSaving) return strings.common.saving;
  if (saveError || conflicts.length > 0) return strings.records.notSaved;
  if (isNew) return '';
  if (!hasEdits) return strings.common.saved;
  if (!isSavedByItself) return strings.records.unsavedChanges;
  return Object.keys(fit).length > 0 ? strings.common.saving : strings.records.notSaved;
}

/** Menu of rarely used actions; on narrow screens it also contains the actions that the bar has no room for. */
function RecordMenu({ actions }: { actions: readonly RecordAction[] }) {
  const { breakpoints } = useMantineTheme();
  // Leave items out instead of hiding them by CSS: arrow keys would still focus a hidden item.
  const isBelow = {
    sm: useMediaQuery(`(width < ${breakpoints.sm})`),
    md: useMediaQuery(`(width < ${breakpoints.md})`),
  };
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon size={36} aria-label={strings.common.more}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions
          .filter(({ below }) => !below || isBelow[below])
          .map(({ label, icon: ActionShape, does, isDangerous }) => (
            <Menu.Item
              key={label}
              {...(isDangerous && { color: 'red' })}
              leftSection={<ActionShape size={15} />}
              {...does}
            >
              {label}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
