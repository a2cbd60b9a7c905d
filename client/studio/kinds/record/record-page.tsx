import { useNavigate, useParams } from '@tanstack/react-router';
import { type ComponentProps, useEffect, useState } from 'react';
import { findResource } from '../../data/records.ts';
import { UploadingScope } from '../../forms/uploading.tsx';
import { NotFound } from '../../ui/not-found.tsx';
import { newId } from '../new-id.ts';
import { RecordForm } from './record-form.tsx';
import { useNewPlace } from './use-new-place.ts';

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
