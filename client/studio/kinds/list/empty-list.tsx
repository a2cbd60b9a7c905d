import type { ReactNode } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { texts } from '../../texts/texts.ts';
import { iconOf } from '../../ui/collection-icon.ts';
import { Empty } from '../../ui/pending.tsx';
import type { ListSearch } from './list-search.ts';
import { NoMatch } from './paged-list.tsx';

interface EmptyListProps {
  resource: Resource;
  listSearch: ListSearch;
  create: ReactNode;
}

/** Why a list shows nothing, and what to do about it. */
export function EmptyList({ resource: { collection, words }, listSearch, create }: EmptyListProps) {
  const { state, narrowing, isNarrowed } = listSearch;
  const icon = iconOf(collection);
  if (!isNarrowed) {
    return <Empty icon={icon} title={texts.records.none(collection)} lead={words.begin} action={create} />;
  }
  const stateNames = ['is_draft', 'publish_at_from', 'visibility'];
  const isStateAlone = Object.keys(narrowing).every((asking) => stateNames.includes(asking));
  const { noneIn, noneInLead } = texts.lists;
  return state && isStateAlone ? (
    <NoMatch icon={icon} title={noneIn[state]} lead={noneInLead[state]} />
  ) : (
    <NoMatch />
  );
}
