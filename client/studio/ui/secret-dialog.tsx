import { ActionIcon, Button, Code, Group, Modal, Stack, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { strings } from '../strings/ui-strings.ts';
import { copyText } from './browser.ts';
import { Note } from './note.tsx';
import { isMac } from './use-command-key.ts';

interface ShownSecret {
  title: string;
  lead: string;
  secret: string;
}

/** Returns a dialog that shows a secret once. Render `dialog` and call `show`. */
export function useSecret() {
  const [shown, show] = useState<ShownSecret | null>(null);
  return { show, dialog: <SecretDialog shown={shown} onClose={() => show(null)} /> };
}

/** Closes only by its button, so that a click beside it does not lose the secret. */
function SecretDialog({ shown, onClose }: { shown: ShownSecret | null; onClose(): void }) {
  return (
    <Modal
      opened={shown !== null}
      onClose={onClose}
      title={shown?.title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="lg"
    >
      <Stack>
        <Note>{shown?.lead}</Note>
        <Copyable text={shown?.secret ?? ''} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{strings.secret.kept}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Duration of the confirmation after copying, in milliseconds. */
const copiedMs = 2_000;

export function Copyable({ text }: { text: string }) {
  const shown = useRef<HTMLElement>(null);
  const [is, become] = useState<'waiting' | 'copied' | 'selected'>('waiting');
  useEffect(() => {
    if (is !== 'copied') return;
    const timer = setTimeout(() => become('waiting'), copiedMs);
    return () => clearTimeout(timer);
  }, [is]);
  const copy = async () => {
    // Some browsers allow the older way of copying only while something is selected.
    if (shown.current) window.getSelection()?.selectAllChildren(shown.current);
    become((await copyText(text)) ? 'copied' : 'selected');
  };
  const label = is === 'copied' ? strings.common.copied : strings.common.copy;
  return (
    <Stack gap={6}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Code
          ref={shown}
          block
          flex={1}
          fz={13}
          miw={0}
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          {text}
        </Code>
        <Tooltip label={label} openDelay={0}>
          <ActionIcon size={36} variant="default" onClick={copy} aria-label={label}>
            {is === 'copied' ? <IconCheck size={17} /> : <IconCopy size={17} />}
          </ActionIcon>
        </Tooltip>
      </Group>
      {is === 'selected' && (
        <Text role="status" fz="sm">
          {strings.common.copyByHand(isMac ? '⌘C' : 'Ctrl C')}
        </Text>
      )}
    </Stack>
  );
}
