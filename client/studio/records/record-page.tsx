import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { findResource } from '../data/records.ts';
import { NotFound } from '../ui/not-found.tsx';
import { newId } from './new-id.ts';
import { RecordForm } from './record-form.tsx';

/** A record's form at its address. One that gets its id while it is typed goes on as it is: only the address changes. */
export function RecordPage() {
  const { collection, id } = useParams({ from: '/$collection/$id' });
  const navigate = useNavigate();
  const [made, setMade] = useState({ id: '', key: '', count: 0 });
  const resource = findResource(collection);
  if (!resource) return <NotFound />;
  const place = id === newId ? `${newId}${made.count}` : id;
  const key = id === made.id ? made.key : `${collection}/${place}`;
  const onCreated = (createdId: string) => {
    setMade(({ count }) => ({ id: createdId, key, count: count + 1 }));
    void navigate({ to: '/$collection/$id', params: { collection, id: createdId }, replace: true });
  };
  return <RecordForm key={key} resource={resource} id={id} onCreated={onCreated} />;
}
