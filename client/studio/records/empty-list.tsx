import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { iconOf } from '../app/navigation.ts';
import { texts } from '../texts/texts.ts';
import { Empty } from '../ui/empty.tsx';
import { IconSearch } from '../ui/icons.ts';
import type { ListSearch } from './list-search.ts';

interface EmptyListProps {
  resource: Resource;
  asked: ListSearch;
  create: ReactNode;
  onClear(): void;
}

/** Why a list shows nothing, and what to do about it. */
export function EmptyList({ resource: { collection, name }, asked, create, onClear }: EmptyListProps) {
  const { state, narrowing, isNarrowed } = asked;
  const icon = iconOf(collection);
  if (!isNarrowed) {
    const { none, noneLead } = texts.records;
    return <Empty icon={icon} title={none(collection)} lead={noneLead(name)} action={create} />;
  }
  const showAll = (
    <Button variant="default" onClick={onClear}>
      {texts.lists.showAll}
    </Button>
  );
  const stateNames = ['is_draft', 'publish_at_from', 'visibility'];
  const isStateAlone = Object.keys(narrowing).every((asking) => stateNames.includes(asking));
  if (state && isStateAlone) {
    const { noneIn, noneInLead } = texts.lists;
    return <Empty icon={icon} title={noneIn[state]} lead={noneInLead[state]} action={showAll} />;
  }
  return (
    <Empty icon={IconSearch} title={texts.lists.noMatch} lead={texts.lists.noMatchLead} action={showAll} />
  );
}
