import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { texts } from '../texts/texts.ts';
import { Empty } from './empty.tsx';
import { IconCloudOff } from './icons.ts';

interface NotLoadedProps {
  again: () => Promise<void>;
  /** Whether it stands for a whole screen. */
  isPage: boolean;
}

/** In place of what has no code: without a network, or after an update, which takes the code of before away. */
export function NotLoaded({ again, isPage }: NotLoadedProps) {
  const [isTrying, setTrying] = useState(false);
  // A form may stand around what is not a whole screen: there nothing is loaded anew before somebody says so.
  useAgain(again, isPage ? () => again().catch(reloadIfServed) : again);
  const tryAgain = async () => {
    setTrying(true);
    await again().catch(reloadIfServed);
    setTrying(false);
  };
  return (
    <div role="alert">
      <Empty
        isPage={isPage}
        icon={IconCloudOff}
        title={texts.errors.notLoaded}
        lead={texts.errors.notLoadedLead}
        action={
          <Button variant="default" loading={isTrying} onClick={tryAgain}>
            {texts.common.retry}
          </Button>
        }
      />
    </div>
  );
}

/** Tries once as it is shown, since what failed before that may come by now, and whenever the network is back. */
export function useAgain(again: () => Promise<void>, onceOnline = again) {
  useEffect(() => {
    const tryQuietly = (work: () => Promise<void>) => void work().catch(() => undefined);
    const tryOnline = () => tryQuietly(onceOnline);
    tryQuietly(again);
    window.addEventListener('online', tryOnline);
    return () => window.removeEventListener('online', tryOnline);
  }, []);
}

/**
 * Browsers may remember that a module was missing, and the page of an update names other ones: both are mended by a new
 * page, which is asked for where there is one. Before typed text is lost by it the browser asks.
 */
async function reloadIfServed() {
  const answer = await fetch(window.location.href, { cache: 'no-store' }).catch(() => null);
  if (answer?.ok) window.location.reload();
}
