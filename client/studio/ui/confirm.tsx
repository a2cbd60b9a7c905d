import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts/texts.ts';
import { sayFailed } from './toast.tsx';

interface Question {
  title: string;
  lead: ReactNode;
  /** What the button says that does it. */
  action: string;
  run(): Promise<unknown>;
}

/** Asks before something that can't be taken back. Render `dialog`; call `ask`. */
export function useConfirm() {
  const [question, setQuestion] = useState<Question | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const close = () => setOpen(false);
  const run = async () => {
    setRunning(true);
    await question?.run().then(close, sayFailed);
    setRunning(false);
  };
  return {
    ask: (next: Question) => {
      setQuestion(next);
      setOpen(true);
    },
    dialog: (
      <Modal opened={isOpen} onClose={close} title={question?.title} withCloseButton={false}>
        <Stack>
          <Text fz="sm" c="dimmed">
            {question?.lead}
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus>
              {texts.common.cancel}
            </Button>
            <Button color="red.8" loading={isRunning} onClick={run}>
              {question?.action}
            </Button>
          </Group>
        </Stack>
      </Modal>
    ),
  };
}
