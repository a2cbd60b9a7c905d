import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { keptRevisions } from '../../../shared/contract/limits.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import type { SearchParams } from '../app/search-params.ts';
import { useApi } from '../data/api.tsx';
import { findResource, recordQuery } from '../data/records.ts';
import { type RecordRevision, revisionsQuery } from '../data/revisions.ts';
import { shapeOf, titleOf } from '../records/shape.ts';
import { briefly, inFull } from '../texts/moments.ts';
import { labelOf } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { actorName } from '../ui/actor-name.ts';
import { BackLink } from '../ui/back-link.tsx';
import { Failed } from '../ui/failed.tsx';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { Screen } from '../ui/screen.tsx';
import classes from './history.module.css';
import { RevisionView } from './revision-view.tsx';

/** What a record was, and who made it what it is. */
export function HistoryPage() {
  const { collection, id } = useParams({ from: '/$collection/$id/history' });
  const resource = findResource(collection);
  return resource ? <History resource={resource} id={id} /> : <NotFound />;
}

function History({ resource, id }: { resource: Resource; id: string }) {
  const api = useApi();
  const search: SearchParams = useSearch({ from: '/$collection/$id/history' });
  const record = useQuery(recordQuery(api, resource, id));
  const revisions = useQuery(revisionsQuery(api, resource, id));
  const error = record.error ?? revisions.error;
  if (error) return <Failed error={error} />;
  const present = record.data;
  const items = revisions.data?.items ?? [];
  const name = present ? titleOf(shapeOf(resource), present) || texts.records.untitled : '';
  const asked = items.find(({ revision }) => String(revision) === search.revision);
  const shown = asked ?? items[1] ?? items[0];
  return (
    <Screen
      title={texts.history.title}
      lead={texts.history.lead(keptRevisions)}
      back={<BackLink to={`/${resource.collection}/${id}`}>{name || texts.history.backTo}</BackLink>}
    >
      {present && shown ? (
        <div className={classes.columns}>
          <nav aria-label={texts.history.revisions} className={classes.revisions}>
            {items.map((item) => (
              <RevisionLink
                key={item.revision}
                {...{ resource, id, item }}
                isPresent={item === items[0]}
                isShown={item === shown}
              />
            ))}
          </nav>
          <RevisionView key={shown.revision} {...{ resource, present, shown }} />
        </div>
      ) : (
        <ListSkeleton />
      )}
    </Screen>
  );
}

interface RevisionLinkProps {
  resource: Resource;
  id: string;
  item: RecordRevision;
  isPresent: boolean;
  isShown: boolean;
}

const RevisionLink = ({ resource: { collection }, id, item, isPresent, isShown }: RevisionLinkProps) => (
  <Link
    to="/$collection/$id/history"
    params={{ collection, id }}
    search={{ revision: String(item.revision) }}
    replace
    resetScroll={false}
    className={classes.revision}
    data-shown={isShown}
    aria-current={isShown ? 'page' : undefined}
    title={inFull(item.created)}
  >
    <span className={classes.what}>
      <span>{whatChanged(item)}</span>
      {isPresent && <span className={classes.now}>{texts.history.now}</span>}
    </span>
    <span className={classes.by}>{texts.history.by(actorName(item.actor), briefly(item.created))}</span>
  </Link>
);

function whatChanged({ revision, changed }: RecordRevision): string {
  if (revision === 1) return texts.history.created;
  return changed.map(labelOf).join(', ') || texts.history.nothing;
}
