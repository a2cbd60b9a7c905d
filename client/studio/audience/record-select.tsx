import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useApi } from '../data/api.tsx';
import { recordsOf } from '../data/records.ts';
import { shapeOf, titleOf } from '../records/shape.ts';
import { texts } from '../texts/texts.ts';

interface RecordSelectProps {
  label: string;
  resource: Resource;
  value: string;
  error: ReactNode;
  onChange(id: string): void;
}

/** Most records to choose from: the newest. */
const most = 200;

/** One of a collection's records, by its title. */
export function RecordSelect({ label, resource, value, error, onChange }: RecordSelectProps) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['records', resource.collection, 'choices'],
    queryFn: ({ signal }) => recordsOf(api, resource).list.query({ per_page: most }, { signal }),
  });
  const shape = shapeOf(resource);
  const choices = (data?.items ?? []).map((record) => ({
    value: record.id,
    label: titleOf(shape, record) || texts.records.untitled,
  }));
  return (
    <Select
      label={label}
      searchable
      data={choices}
      value={value || null}
      error={error}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}

/** The title of the record with this id, or the id while it isn't known. */
export function useTitles(resource: Resource): (id: string) => string {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['records', resource.collection, 'choices'],
    queryFn: ({ signal }) => recordsOf(api, resource).list.query({ per_page: most }, { signal }),
  });
  const shape = shapeOf(resource);
  const byId = new Map((data?.items ?? []).map((record) => [record.id, titleOf(shape, record)]));
  return (id) => byId.get(id) ?? id;
}
