import { Button } from '@mantine/core';
import { texts } from '../texts/texts.ts';
import { Empty } from './empty.tsx';
import { IconCloudOff } from './icons.ts';

/** In place of a screen that failed while it was drawn. */
export const Broken = ({ reset }: { reset(): void }) => (
  <div role="alert">
    <Empty
      isPage
      icon={IconCloudOff}
      title={texts.errors.broke}
      lead={texts.errors.brokeLead}
      action={
        <Button variant="default" onClick={reset}>
          {texts.common.retry}
        </Button>
      }
    />
  </div>
);
