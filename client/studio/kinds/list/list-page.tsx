import { useParams } from '@tanstack/react-router';
import { findResource } from '../../data/records.ts';
import { NotFound } from '../../ui/not-found.tsx';
import { RecordList } from './record-list.tsx';

/** The records of one collection. */
export function ListPage() {
  const { collection } = useParams({ from: '/$collection' });
  const resource = findResource(collection);
  return resource ? <RecordList key={collection} resource={resource} /> : <NotFound />;
}
