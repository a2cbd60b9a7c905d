import { Button, Popover, Text } from '@mantine/core';
import { useApi } from '../../data/api.tsx';
import { texts } from '../../texts/texts.ts';
import { Dot } from '../../ui/dot.tsx';
import { IconSend } from '../../ui/icons.ts';
import { useWrite } from '../../ui/use-write.ts';

/** Sends a test event, and says what the address answered. */
export function TestButton({ id }: { id: string }) {
  const { admin } = useApi();
  const test = useWrite({ run: () => admin.webhooks.test.mutate({ id }), refreshes: ['webhooks', id] });
  const result = test.data;
  return (
    <Popover
      opened={result !== undefined}
      onDismiss={test.reset}
      position="bottom-end"
      shadow="md"
      width={280}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconSend size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {texts.webhooks.test}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {result && (
          <div role="status">
            {result.error ? (
              <Dot tone="bad" label={texts.webhooks.reasons[result.error]} />
            ) : (
              <Dot tone="good" label={texts.webhooks.testArrived} />
            )}
            <Text fz="sm" c="dimmed" mt={4}>
              {texts.webhooks.answered(result.status_code, result.duration_ms)}
            </Text>
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
