import { ActionIcon, Button, Code, CopyButton, Group, Modal, Stack, Text, Tooltip } from '@mantine/core';
import { texts } from '../texts/texts.ts';
import { IconCheck, IconCopy } from './icons.ts';

interface ShownSecret {
  title: string;
  lead: string;
  secret: string;
}

/** A secret that is shown once: it closes by its button only, so that nobody loses it by a click beside it. */
export function SecretDialog({ shown, onClose }: { shown: ShownSecret | null; onClose(): void }) {
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
        <Text fz="sm" c="dimmed">
          {shown?.lead}
        </Text>
        <Copyable text={shown?.secret ?? ''} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{texts.secret.kept}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Text to be copied as it is. */
export function Copyable({ text }: { text: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code block flex={1} fz={13} miw={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? texts.common.copied : texts.common.copy} openDelay={0}>
            <ActionIcon
              size={36}
              variant="default"
              onClick={copy}
              aria-label={copied ? texts.common.copied : texts.common.copy}
            >
              {copied ? <IconCheck size={17} /> : <IconCopy size={17} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
