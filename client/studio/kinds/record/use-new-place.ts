import { useEffect, useRef, useState } from 'react';
import { z } from 'zod';
import { useAccountStorage } from '../../data/api.tsx';
import { randomId } from '../../ui/browser.ts';
import { type BrowserStorage, tabStorage } from '../../ui/browser-storage.ts';
import { newId } from '../new-id.ts';

/**
 * The name under which the browser keeps what is typed into this form of a new record: one that no other form has that is
 * open in any tab. Null until it has one.
 */
export function useNewPlace(collection: string, isNew: boolean): string | null {
  const { storage } = useAccountStorage();
  const [place, setPlace] = useState<string | null>(null);
  // The form stays the same one when its record is made.
  const isWanted = useRef(isNew).current;
  useEffect(() => {
    if (!isWanted) return;
    let isGone = false;
    let release = () => {};
    void holdPlace(storage, collection).then((held) => {
      release = held.release;
      if (isGone) release();
      else setPlace(held.place);
    });
    return () => {
      isGone = true;
      release();
    };
  }, [storage, collection, isWanted]);
  return place;
}

/** Where this tab has left something, or any that is closed, before a place with nothing in it. */
async function holdPlace(storage: BrowserStorage, collection: string) {
  const tab = tabStorage();
  const name = `new:${collection}`;
  const kept = keptPlaces(storage, collection);
  const own = kept.filter((place) => place === tab.read(name, z.string()));
  for (const place of [...own, ...kept, newId, `${newId}-${randomId()}`]) {
    const release = await storage.hold(`${collection}:${place}`);
    if (!release) continue;
    tab.write(name, place);
    return { place, release };
  }
  throw new Error('a name that was just made is held by somebody');
}

/** Places with something that was typed, or sent and not answered. */
const keptPlaces = (storage: BrowserStorage, collection: string): string[] =>
  storage.names().flatMap((name) => {
    const [kind = '', of, place = ''] = name.split(':');
    const isPlace = place === newId || place.startsWith(`${newId}-`);
    return ['unsaved', 'sent'].includes(kind) && of === collection && isPlace ? [place] : [];
  });
