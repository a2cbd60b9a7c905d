import { Button, Group, Modal, Stack } from '@mantine/core';
import { texts } from '../../texts/texts.ts';
import { copyText } from '../../ui/browser.ts';
import { IconCopy, IconDownload } from '../../ui/icons.ts';
import { Note } from '../../ui/notes.tsx';
import { toast } from '../../ui/toast.tsx';
import classes from './factors.module.css';

const words = texts.factors.recovery;

/** Shown once: it closes by its button only, so that nobody loses them by a click beside it. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  const text = `${codes.join('\n')}\n`;
  const copy = async () => {
    if (await copyText(text)) toast(texts.common.copied);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Note>{words.lead}</Note>
        <ul className={classes.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Button variant="default" leftSection={<IconCopy size={16} />} onClick={copy}>
              {texts.common.copy}
            </Button>
            <Button
              component="a"
              variant="default"
              leftSection={<IconDownload size={16} />}
              href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
              download={words.file}
            >
              {words.download}
            </Button>
          </Group>
          <Button onClick={onClose}>{words.kept}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
