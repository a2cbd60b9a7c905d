import { useNavigate, useParams } from '@tanstack/react-router';
import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { z } from 'zod';
import { useAccountStorage } from '../../data/api.tsx';
import { findResource, newId } from '../../data/records.ts';
import { UploadingScope } from '../../forms/form-context.tsx';
import { randomId } from '../../ui/browser.ts';
import { type BrowserStorage, tabStorage } from '../../ui/browser-storage.ts';
import { NotFound } from '../../ui/pending.tsx';
import { RecordForm } from './record-form.tsx';

/** A record's form at its address. One that gets its id while it is typed goes on as it is: only the address changes. */
export default function RecordPage() {
  const { collection, id } = useParams({ from: '/$collection/$id' });
  const navigate = useNavigate();
  const [made, setMade] = useState({ id: '', key: '', isCounted: true });
  const [count, setCount] = useState(0);
  // Not before the address has changed: until then the form of the new record is still this one.
  useEffect(() => {
    if (id !== made.id || made.isCounted) return;
    setMade({ ...made, isCounted: true });
    setCount(count + 1);
  }, [id, made, count]);
  const resource = findResource(collection);
  if (!resource) return <NotFound />;
  const place = id === newId ? `${newId}${count}` : id;
  const key = id === made.id ? made.key : `${collection}/${place}`;
  const onCreated = (createdId: string) => {
    setMade({ id: createdId, key, isCounted: false });
    // It is the same form: nobody leaves it.
    const address = { to: '/$collection/$id', params: { collection, id: createdId } } as const;
    void navigate({ ...address, replace: true, ignoreBlocker: true });
  };
  return (
    <UploadingScope key={key}>
      <PlacedForm resource={resource} id={id} onCreated={onCreated} />
    </UploadingScope>
  );
}

/** The form, once it has a place of its own if it is one of a new record. */
function PlacedForm({ resource, id, onCreated }: Omit<ComponentProps<typeof RecordForm>, 'newPlace'>) {
  const newPlace = useNewPlace(resource.collection, id === newId);
  return newPlace === null && id === newId ? null : (
    <RecordForm {...{ resource, id, onCreated }} newPlace={newPlace ?? newId} />
  );
}

/**
 * The name under which the browser keeps what is typed into this form of a new record: one that no other form has that is
 * open in any tab. Null until it has one.
 */
function useNewPlace(collection: string, isNew: boolean): string | null {
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
  throw new Error('the name of a new record is already locked');
}

/** Places with something that was typed, or sent and not answered. */
const keptPlaces = (storage: BrowserStorage, collection: string): string[] =>
  storage.names().flatMap((name) => {
    const [kind = '', of, place = ''] = name.split(':');
    const isPlace = place === newId || place.startsWith(`${newId}-`);
    return ['unsaved', 'sent'].includes(kind) && of === collection && isPlace ? [place] : [];
  });
