import { Button } from '@mantine/core';
import { isApiError } from '../../sdk/index.ts';
import { wordsFor } from '../texts/errors.ts';
import { texts } from '../texts/texts.ts';
import { Empty } from './empty.tsx';
import { IconCloudOff } from './icons.ts';
import { NotFound } from './not-found.tsx';

/** In place of what couldn't be loaded. */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (isApiError(error) && error.data.code === 'not_found') return <NotFound />;
  const retry = onRetry && (
    <Button variant="default" onClick={onRetry}>
      {texts.common.retry}
    </Button>
  );
  return (
    <Empty icon={IconCloudOff} title={texts.errors.failedToLoad} lead={wordsFor(error)} action={retry} />
  );
}
