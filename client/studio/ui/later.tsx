import { type ComponentType, use, useState } from 'react';
import { NotLoaded, useAgain } from './not-loaded.tsx';

interface LaterOptions {
  /** What it is: a screen has a heading of its own, and in place of what is optional nothing is shown. */
  as?: 'screen' | 'part' | 'optional';
}

/**
 * The component of a module that is loaded when it is first shown, or about to be. Where that fails, in its own place it says so
 * and tries again: what stands around it stays, with what was typed.
 */
export function later<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  { as = 'part' }: LaterOptions = {},
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
  return Object.assign(Later, { preload });
}

function Again({ again }: { again: () => Promise<void> }) {
  useAgain(again);
  return null;
}
