import { Button } from '@mantine/core';
import { type ComponentType, type ReactNode, Suspense, use, useEffect, useState } from 'react';
import { texts } from '../strings/texts.ts';
import { IconCloudOff } from './icons.ts';
import { Empty } from './pending.tsx';

interface LaterOptions<Props> {
  /** What it is: a screen has a heading of its own, and in place of what is optional nothing is shown. */
  as?: 'screen' | 'part' | 'optional';
  /** What stands there until it has come; the router knows that of screens. */
  meanwhile?(props: Props): ReactNode;
}

/**
 * The component of a module that is loaded when it is first shown, or about to be. Where that fails, in its own place it says so
 * and tries again: what stands around it stays, with what was typed.
 */
export function later<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  { as = 'part', meanwhile = () => null }: LaterOptions<Props> = {},
) {
  let Loaded: ComponentType<Props> | null = null;
  let first: Promise<void> | null = null;
  const tryNow = async () => {
    Loaded = (await load()).default;
  };
  /** Never rejects: whether it has come is looked at when it is shown. */
  const preload = () => (first ??= tryNow().catch(() => undefined));
  function Later(props: Props) {
    const [, redraw] = useState(0);
    // Nothing is waited for that has come, or else it would be shown a moment later each time.
    if (!Loaded) use(preload());
    if (Loaded) return <Loaded {...props} />;
    const again = () => tryNow().then(() => redraw((current) => current + 1));
    return as === 'optional' ? <Again again={again} /> : <NotLoaded again={again} isPage={as === 'screen'} />;
  }
  const Part = (props: Props) => (
    <Suspense fallback={meanwhile(props)}>
      <Later {...props} />
    </Suspense>
  );
  return Object.assign(as === 'screen' ? Later : Part, { preload });
}

function Again({ again }: { again: () => Promise<void> }) {
  useAgain(again);
  return null;
}

interface NotLoadedProps {
  again: () => Promise<void>;
  /** Whether it stands for a whole screen. */
  isPage: boolean;
}

/** In place of what has no code: without a network, or after an update, which takes the code of before away. */
function NotLoaded({ again, isPage }: NotLoadedProps) {
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
function useAgain(again: () => Promise<void>, onceOnline = again) {
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
