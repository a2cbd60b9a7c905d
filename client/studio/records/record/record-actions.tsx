import { useDidUpdate } from '@mantine/hooks';
import {
  type Icon,
  IconClock,
  IconExternalLink,
  IconEyeOff,
  IconHistory,
  IconLink,
  IconListTree,
  IconSend,
  IconTrash,
  IconUserCheck,
  IconX,
} from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { pageOf } from '../../../../shared/contract/site-paths.ts';
import { useSiteLink } from '../../data/api.tsx';
import { useMayRead, useMayWrite } from '../../data/permissions.ts';
import { canBeMailed, isDraft } from '../../data/record-shape.ts';
import type { Values } from '../../data/records.ts';
import { strings } from '../../strings/ui-strings.ts';
import { type OptionalAction, offered } from '../../ui/row-menu.tsx';
import { useOpenRecord } from './use-record-editor.ts';

/** An action on a whole record, shown in the bar or in its menu. */
export interface RecordAction {
  label: string;
  icon: Icon;
  /** Breakpoint below which the menu contains the action, because the bar has no room. Without it, the menu always does. */
  below?: 'sm' | 'md';
  /** Look of the action in the bar, if there is room: an icon alone or a button with a label. */
  inBar?: 'icon' | 'button';
  does: { onClick(): void; disabled?: boolean } | { renderRoot(props: object): ReactNode };
  isDangerous?: true;
}

const linkTo = (to: string) => ({ renderRoot: (props: object) => <Link to={to} {...props} /> });

/** Returns the actions for the open record, except saving and publishing. */
export function useRecordActions(open: OpenDialogs): RecordAction[] {
  const { resource, shape, editor, isReadOnly, mayPublish, remove } = useOpenRecord();
  const { isDraft } = editor;
  const ways = useWaysOn(open);
  const publishAndSend = usePublishAndSend();
  const others: OptionalAction<RecordAction>[] = [
    editor.hasEdits &&
      !isDraft && {
        label: strings.records.discard,
        icon: IconX,
        below: 'sm',
        does: { onClick: editor.discard, disabled: editor.isSaving },
      },
    publishAndSend && {
      label: strings.newsletters.compose.publishAndSend,
      icon: IconSend,
      does: { onClick: publishAndSend },
    },
    {
      label: strings.history.title,
      icon: IconHistory,
      does: linkTo(`/${resource.collection}/${editor.id}/history`),
    },
    mayPublish &&
      shape.hasDrafts &&
      !isDraft && { label: strings.records.unpublish, icon: IconEyeOff, does: { onClick: editor.unpublish } },
    !isReadOnly && {
      label: strings.common.delete,
      icon: IconTrash,
      does: { onClick: remove },
      isDangerous: true,
    },
  ];
  return offered([...ways, ...others]);
}

/** Functions that open the bar's dialogs. */
type OpenDialogs = Record<'schedule' | 'preview', () => void>;

/** Returns the actions that the bar shows if there is room, and the record's menu otherwise. */
function useWaysOn(open: OpenDialogs): OptionalAction<RecordAction>[] {
  const { resource, shape, editor, isReadOnly, mayPublish } = useOpenRecord();
  const { id, saved, isDraft } = editor;
  const siteLink = useSiteLink();
  const mayMail = useMayWrite('newsletter');
  const maySeeLearners = useMayRead('audience');
  const publicPath = saved && addressOf(resource, saved);
  const isWaiting = shape.hasDrafts && isDraft;
  const hasPreview = isWaiting && !isReadOnly && pageOf(resource.name, '') !== null;
  const icon = { below: 'sm', inBar: 'icon' } as const;
  const button = { below: 'sm', inBar: 'button' } as const;
  return [
    publicPath && {
      ...icon,
      label: strings.records.view,
      icon: IconExternalLink,
      does: { renderRoot: (props) => <a href={siteLink(publicPath)} target="_blank" {...props} /> },
    },
    hasPreview && {
      ...icon,
      label: strings.previews.title,
      icon: IconLink,
      does: { onClick: open.preview },
    },
    resource.collection === 'courses' &&
      mayPublish && {
        ...button,
        label: strings.curriculum.title,
        icon: IconListTree,
        does: linkTo(`/courses/${id}/curriculum`),
      },
    resource.collection === 'courses' &&
      saved &&
      maySeeLearners && {
        label: strings.enrollments.ofCourse,
        icon: IconUserCheck,
        does: linkTo(`/enrollments?course=${id}`),
      },
    mayMail &&
      canBeMailed(resource, saved) && {
        ...button,
        below: 'md',
        label: strings.newsletters.compose.action,
        icon: IconSend,
        does: linkTo(`/posts/${id}/newsletter`),
      },
    isWaiting &&
      mayPublish && {
        ...button,
        label: strings.records.schedule,
        icon: IconClock,
        does: { onClick: open.schedule },
      },
  ];
}

/**
 * Returns the path of a record on the site; null for a draft and for a record that visitors cannot open. An unlisted custom
 * page has a path.
 */
function addressOf({ name }: Resource, saved: Values): string | null {
  const isFound = saved.visibility === 'public' || (name === 'page' && saved.visibility === 'unlisted');
  return isFound && !isDraft(saved) ? pageOf(name, String(saved.slug)) : null;
}

/**
 * Returns a function that publishes a draft and opens its newsletter preview. Null for other records, and for users who may
 * not publish or send.
 */
function usePublishAndSend(): (() => void) | null {
  const { resource, editor, mayPublish } = useOpenRecord();
  const mayMail = useMayWrite('newsletter');
  const navigate = useNavigate();
  const [isWanted, setWanted] = useState(false);
  const { id, isDraft, isNew, isPublishing, saved, values, publish } = editor;
  const isThere = isWanted && !isDraft && canBeMailed(resource, saved);
  useEffect(() => {
    if (isThere) void navigate({ to: '/posts/$id/newsletter', params: { id } });
  }, [isThere, id, navigate]);
  // Publishing was refused: forget the request, so that a later publish does not open the newsletter.
  useDidUpdate(() => {
    if (!isPublishing && isDraft) setWanted(false);
  }, [isPublishing]);
  const isOffered = resource.collection === 'posts' && isDraft && !isNew && values.visibility === 'public';
  if (!mayMail || !mayPublish || !isOffered) return null;
  return () => {
    setWanted(true);
    publish();
  };
}
