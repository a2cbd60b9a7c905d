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

/** Page with a record's form. When a new record gets its ID, the form stays mounted and only the address changes. */
export default function RecordPage() {
  const { collection, id } = useParams({ from: '/$collection/$id' });
  const navigate = useNavigate();
  const [made, setMade] = useState({ id: '', key: '', isCounted: true });
  const [count, setCount] = useState(0);
  // The count gives the next new record its own form. Increase it only after the address has changed: until then `id` is
  // `newId`, and a new count would remount this form.
  useEffect(() => {
    if (id !== made.id || made.isCounted) return;
    setMade({ ...made, isCounted: true });
    setCount(count + 1);
  }, [id, made, count]);
  const resource = findResource(collection);
  if (!resource) return <NotFound />;
  const draftKey = id === newId ? `${newId}${count}` : id;
  const key = id === made.id ? made.key : `${collection}/${draftKey}`;
  const onCreated = (createdId: string) => {
    setMade({ id: createdId, key, isCounted: false });
    // The form and its edits stay, so this navigation must not ask about unsaved changes.
    const address = { to: '/$collection/$id', params: { collection, id: createdId } } as const;
    void navigate({ ...address, replace: true, ignoreBlocker: true });
  };
  return (
    <UploadingScope key={key}>
      <KeyedForm resource={resource} id={id} onCreated={onCreated} />
    </UploadingScope>
  );
}

/** Form of a record. For a new record it renders once its name in browser storage is locked. */
function KeyedForm({ resource, id, onCreated }: Omit<ComponentProps<typeof RecordForm>, 'draftKey'>) {
  const draftKey = useDraftKey(resource.collection, id === newId);
  return draftKey === null && id === newId ? null : (
    <RecordForm {...{ resource, id, onCreated }} draftKey={draftKey ?? newId} />
  );
}

/**
 * Returns the name in browser storage for the edits of a new record. No other open form in any tab has the same name. Null
 * until the lock is acquired.
 */
function useDraftKey(collection: string, isNew: boolean): string | null {
  const { storage } = useAccountStorage();
  const [draftKey, setDraftKey] = useState<string | null>(null);
  // Keep the first value: the form stays mounted when its record gets an ID.
  const isWanted = useRef(isNew).current;
  useEffect(() => {
    if (!isWanted) return;
    let isGone = false;
    let release = () => {};
    void reserveDraftKey(storage, collection).then((held) => {
      release = held.release;
      if (isGone) release();
      else setDraftKey(held.draftKey);
    });
    return () => {
      isGone = true;
      release();
    };
  }, [storage, collection, isWanted]);
  return draftKey;
}

/**
 * Locks a name for a new record's edits. Prefers the one that this tab used last, then any left by a closed tab, then an
 * unused one. Throws if none can be locked.
 */
async function reserveDraftKey(storage: BrowserStorage, collection: string) {
  const tab = tabStorage();
  const name = `new:${collection}`;
  const kept = storedDraftKeys(storage, collection);
  const own = kept.filter((draftKey) => draftKey === tab.read(name, z.string()));
  for (const draftKey of [...own, ...kept, newId, `${newId}-${randomId()}`]) {
    const release = await storage.hold(`${collection}:${draftKey}`);
    if (!release) continue;
    tab.write(name, draftKey);
    return { draftKey, release };
  }
  throw new Error('the name of a new record is already locked');
}

/** Names of new records with unsaved edits or an unanswered request. */
const storedDraftKeys = (storage: BrowserStorage, collection: string): string[] =>
  storage.names().flatMap((name) => {
    const [kind = '', of, draftKey = ''] = name.split(':');
    const isDraftKey = draftKey === newId || draftKey.startsWith(`${newId}-`);
    return ['unsaved', 'sent'].includes(kind) && of === collection && isDraftKey ? [draftKey] : [];
  });
