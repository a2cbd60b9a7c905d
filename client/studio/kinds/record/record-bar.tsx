import { ActionIcon, Badge, Box, Button, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { pageOf } from '../../../../shared/contract/site-paths.ts';
import { useMayWrite } from '../../data/rights.ts';
import type { Shape } from '../../data/shape.ts';
import { useSiteLink } from '../../data/site-link.ts';
import { capitalised } from '../../texts/names.ts';
import { texts } from '../../texts/texts.ts';
import { IconChevronLeft, IconExternalLink, IconLayoutSidebarRight, IconLink } from '../../ui/icons.ts';
import { later } from '../../ui/later.tsx';
import { commandKeyLabel } from '../../ui/use-command-key.ts';
import { addressOf } from '../address.ts';
import { canBeMailed } from '../can-be-mailed.ts';
import { StateBadge } from '../state-badge.tsx';
import classes from './record-form.module.css';
import { RecordMenu } from './record-menu.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import type { RecordEditor } from './use-record-editor.ts';

const PreviewDialog = later(() => import('./preview-dialog.tsx'));

interface RecordBarProps {
  resource: Resource;
  shape: Shape;
  editor: RecordEditor;
  /** The panel beside the text. */
  details: { isOpen: boolean; toggle(): void };
  /** Moves it to the trash; null for who may not change it. */
  remove: (() => void) | null;
  mayPublish: boolean;
  /** A field stands in the way. */
  onRefused(): void;
}

/** Above a record's form: where it belongs, how it stands, and what can be done with it as a whole. */
export function RecordBar(props: RecordBarProps) {
  const { resource, shape, editor, details, remove, mayPublish, onRefused } = props;
  const { collection, words } = resource;
  const isOfCv = words.screen === 'cv';
  const list = isOfCv ? texts.cv.title : capitalised(collection);
  const [isScheduling, setScheduling] = useState(false);
  const isWaiting = shape.hasDrafts && editor.isDraft && !editor.isNew;
  const schedule = isWaiting && mayPublish ? () => setScheduling(true) : null;
  const [isPreviewing, setPreviewing] = useState(false);
  const hasPreview = isWaiting && remove && pageOf(resource.name, '') !== null;
  const preview = hasPreview ? () => setPreviewing(true) : null;
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
          <Badge color="gray">{texts.records.notSavedYet}</Badge>
        ) : (
          <StateBadge record={editor.values} hasDrafts={shape.hasDrafts} />
        )}
        <span className={classes.state} role="status" data-told={editor.isOffline || editor.isSavedByItself}>
          {stateOf(editor)}
        </span>
      </div>
      {!editor.isNew && <WaysOn {...{ resource, editor, schedule, preview, mayPublish }} />}
      <Tooltip label={texts.records.details}>
        <ActionIcon
          size={36}
          aria-label={texts.records.details}
          aria-expanded={details.isOpen}
          variant={details.isOpen ? 'light' : 'subtle'}
          onClick={details.toggle}
        >
          <IconLayoutSidebarRight size={18} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
      {(mayPublish || (remove && !editor.isDraft)) && <PublishButton {...{ editor, shape }} />}
      {!editor.isNew && (
        <RecordMenu {...{ resource, shape, editor, remove, schedule, preview, mayPublish }} />
      )}
      {isScheduling && (
        <ScheduleDialog
          {...{ resource, editor, onRefused }}
          title={editor.title}
          onClose={() => setScheduling(false)}
        />
      )}
      {isPreviewing && (
        <Suspense>
          <PreviewDialog {...{ resource, editor }} onClose={() => setPreviewing(false)} />
        </Suspense>
      )}
    </div>
  );
}

interface WaysOnProps {
  resource: Resource;
  editor: RecordEditor;
  schedule: (() => void) | null;
  /** Gives a link to a draft. */
  preview: (() => void) | null;
  mayPublish: boolean;
}

/** Where there is little room, they are in the menu. */
function WaysOn({ resource, editor: { id, saved }, schedule, preview, mayPublish }: WaysOnProps) {
  const linkTo = useSiteLink();
  const shownAt = saved && addressOf(resource, saved);
  const mayMail = useMayWrite('newsletter');
  return (
    <>
      {shownAt && (
        <Tooltip label={texts.records.view}>
          <ActionIcon
            component="a"
            href={linkTo(shownAt)}
            target="_blank"
            size={36}
            visibleFrom="sm"
            aria-label={texts.records.view}
          >
            <IconExternalLink size={18} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      )}
      {preview && (
        <Tooltip label={texts.previews.title}>
          <ActionIcon size={36} visibleFrom="sm" aria-label={texts.previews.title} onClick={preview}>
            <IconLink size={18} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      )}
      {resource.collection === 'courses' && mayPublish && (
        <Button component={Link} to={`/courses/${id}/curriculum`} variant="default" visibleFrom="sm">
          {texts.curriculum.title}
        </Button>
      )}
      {mayMail && canBeMailed(resource, saved) && (
        <Button component={Link} to={`/posts/${id}/newsletter`} variant="default" visibleFrom="md">
          {texts.newsletters.compose.action}
        </Button>
      )}
      {schedule && (
        <Button variant="default" visibleFrom="sm" onClick={schedule}>
          {texts.records.schedule}
        </Button>
      )}
    </>
  );
}

function PublishButton({ editor, shape }: Pick<RecordBarProps, 'editor' | 'shape'>) {
  const { hasEdits } = editor;
  if (shape.hasDrafts && editor.isDraft) {
    return (
      <Tooltip label={commandKeyLabel('Enter')}>
        <Button onClick={editor.publish} loading={editor.isPublishing} aria-keyshortcuts="Control+Enter">
          {texts.records.publish}
        </Button>
      </Tooltip>
    );
  }
  return (
    <>
      {hasEdits && !editor.isNew && (
        <Button
          variant="subtle"
          color="gray"
          visibleFrom="sm"
          disabled={editor.isSaving}
          onClick={editor.discard}
        >
          {texts.records.discard}
        </Button>
      )}
      <Tooltip label={commandKeyLabel('Enter')}>
        <Button
          onClick={editor.save}
          disabled={!hasEdits}
          loading={editor.isSaving}
          aria-keyshortcuts="Control+Enter"
        >
          {editor.isNew ? texts.records.create : texts.records.update}
        </Button>
      </Tooltip>
    </>
  );
}

function stateOf(editor: RecordEditor): string {
  const { isSaving, isOffline, isNew, edits, fit, saveError, isSavedByItself, conflicts } = editor;
  if (isOffline && Object.keys(edits).length > 0) return texts.records.offline;
  if (isSaving) return texts.common.saving;
  if (saveError || conflicts.length > 0) return texts.records.notSaved;
  const hasEdits = Object.keys(edits).length > 0;
  if (isNew) return '';
  if (!hasEdits) return texts.common.saved;
  if (!isSavedByItself) return texts.records.unsavedChanges;
  return Object.keys(fit).length > 0 ? texts.common.saving : texts.records.notSaved;
}
