import { ActionIcon, Menu, useMantineTheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useMayWrite } from '../../data/rights.ts';
import type { Shape } from '../../data/shape.ts';
import { useSiteLink } from '../../data/site-link.ts';
import { texts } from '../../texts/texts.ts';
import {
  IconClock,
  IconDots,
  IconExternalLink,
  IconEyeOff,
  IconHistory,
  IconLink,
  IconListTree,
  IconSend,
  IconTrash,
  IconX,
} from '../../ui/icons.ts';
import { addressOf } from '../address.ts';
import { canBeMailed } from '../can-be-mailed.ts';
import { usePublishAndSend } from './use-publish-and-send.ts';
import type { RecordEditor } from './use-record-editor.ts';

interface RecordMenuProps {
  resource: Resource;
  shape: Shape;
  editor: RecordEditor;
  /** Moves it to the trash; null for who may not. */
  remove: (() => void) | null;
  mayPublish: boolean;
  schedule: (() => void) | null;
  preview: (() => void) | null;
}

const size = 15;

/** What is seldom done with a record; on a phone also what has no room in the bar. */
export function RecordMenu(props: RecordMenuProps) {
  const { resource, shape, editor, remove, mayPublish } = props;
  const at = `/${resource.collection}/${editor.id}`;
  const { breakpoints } = useMantineTheme();
  const isPublished = mayPublish && shape.hasDrafts && !editor.isDraft;
  // What is only hidden would still be where the arrow keys begin.
  const isNarrow = useMediaQuery(`(width < ${breakpoints.sm})`);
  const mayMail = useMayWrite('newsletter');
  const isCramped = useMediaQuery(`(width < ${breakpoints.md})`);
  const publishAndSend = usePublishAndSend(props);
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon size={36} aria-label={texts.common.more}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isNarrow && <OnPhones {...props} />}
        {isCramped && mayMail && canBeMailed(resource, editor.saved) && (
          <Menu.Item component={Link} to={`${at}/newsletter`} leftSection={<IconSend size={size} />}>
            {texts.newsletters.compose.action}
          </Menu.Item>
        )}
        {publishAndSend && (
          <Menu.Item leftSection={<IconSend size={size} />} onClick={publishAndSend}>
            {texts.newsletters.compose.publishAndSend}
          </Menu.Item>
        )}
        <Menu.Item component={Link} to={`${at}/history`} leftSection={<IconHistory size={size} />}>
          {texts.history.title}
        </Menu.Item>
        {isPublished && (
          <Menu.Item leftSection={<IconEyeOff size={size} />} onClick={editor.unpublish}>
            {texts.records.unpublish}
          </Menu.Item>
        )}
        {remove && (
          <Menu.Item color="red" leftSection={<IconTrash size={size} />} onClick={remove}>
            {texts.common.delete}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function OnPhones({ resource, editor, schedule, preview, mayPublish }: RecordMenuProps) {
  const linkTo = useSiteLink();
  const shownAt = editor.saved && addressOf(resource, editor.saved);
  return (
    <>
      {shownAt && (
        <Menu.Item
          component="a"
          href={linkTo(shownAt)}
          target="_blank"
          leftSection={<IconExternalLink size={size} />}
        >
          {texts.records.view}
        </Menu.Item>
      )}
      {preview && (
        <Menu.Item leftSection={<IconLink size={size} />} onClick={preview}>
          {texts.previews.title}
        </Menu.Item>
      )}
      {resource.collection === 'courses' && mayPublish && (
        <Menu.Item
          component={Link}
          to={`/courses/${editor.id}/curriculum`}
          leftSection={<IconListTree size={size} />}
        >
          {texts.curriculum.title}
        </Menu.Item>
      )}
      {schedule && (
        <Menu.Item leftSection={<IconClock size={size} />} onClick={schedule}>
          {texts.records.schedule}
        </Menu.Item>
      )}
      {editor.hasEdits && !editor.isDraft && (
        <Menu.Item leftSection={<IconX size={size} />} disabled={editor.isSaving} onClick={editor.discard}>
          {texts.records.discard}
        </Menu.Item>
      )}
    </>
  );
}
