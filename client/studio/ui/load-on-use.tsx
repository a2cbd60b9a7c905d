import { useWindowEvent } from '@mantine/hooks';
import { IconCloudOff } from '@tabler/icons-react';
import { type ComponentType, type ReactNode, Suspense, use, useEffect, useState } from 'react';
import { strings } from '../strings/ui-strings.ts';
import { Empty, RetryButton } from './pending.tsx';

interface LaterOptions<Props> {
  /** Role of the component. A screen has a page heading; an optional one shows nothing if it cannot be loaded. */
  as?: 'screen' | 'part' | 'optional';
  /** Placeholder while the code loads. The router handles this for screens. */
  meanwhile?(props: Props): ReactNode;
}

/**
 * Wraps a component whose code is loaded on first use, or by `preload`. If loading fails, a message with a retry button
 * replaces the component; an optional component shows nothing instead. The screen around it stays, with everything
 * typed in it.
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
  /**
   * Never rejects. After a failure, the component tries to load again when it renders. Until then it shows a retry
   * message, or nothing if it is optional.
   */
  const preload = () => (first ??= tryNow().catch(() => undefined));
  function Later(props: Props) {
    const [, redraw] = useState(0);
    // Skip `use` for loaded code, or React would suspend for a tick each time.
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
  /** True if the message replaces a whole screen. */
  isPage: boolean;
}

/** Message instead of a component whose code is missing: the network failed, or an update has removed the old files. */
function NotLoaded({ again, isPage }: NotLoadedProps) {
  const [isTrying, setTrying] = useState(false);
  // A part may be inside a form, so the page reloads only on a click. A whole screen reloads by itself when the network
  // returns.
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
        title={strings.errors.notLoaded}
        lead={strings.errors.notLoadedLead}
        action={<RetryButton loading={isTrying} onClick={tryAgain} />}
      />
    </div>
  );
}

/** Tries to load once when shown, because an earlier failure may be over, and whenever the network returns. */
function useAgain(again: () => Promise<void>, onceOnline = again) {
  const tryQuietly = (work: () => Promise<void>) => void work().catch(() => undefined);
  useEffect(() => tryQuietly(again), []);
  useWindowEvent('online', () => tryQuietly(onceOnline));
}

/**
 * Reloads the page if the server answers. Browsers may remember that a module was missing, and after an update the new page
 * names other files; a reload fixes both. The browser asks before typed text is lost.
 */
async function reloadIfServed() {
  const answer = await fetch(window.location.href, { cache: 'no-store' }).catch(() => null);
  if (answer?.ok) window.location.reload();
}
