import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { keptRevisions } from '../../../../shared/contract/limits.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useApi } from '../../data/api.tsx';
import { shapeOf, titleOf } from '../../data/record-shape.ts';
import { findResource, type RecordRevision, recordQuery, revisionsQuery } from '../../data/records.ts';
import type { SearchParams } from '../../data/search-params.ts';
import { actorName } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Failed, ListSkeleton, NotFound } from '../../ui/pending.tsx';
import { BackLink, Screen } from '../../ui/screen.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import classes from './history.module.css';
import { RevisionView, whatChanged } from './revision-view.tsx';

export default function HistoryPage() {
  const { collection, id } = useParams({ from: '/$collection/$id/history' });
  const resource = findResource(collection);
  return resource ? <History resource={resource} id={id} /> : <NotFound />;
}

function History({ resource, id }: { resource: Resource; id: string }) {
  const api = useApi();
  const search: SearchParams = useSearch({ from: '/$collection/$id/history' });
  const record = useQuery(recordQuery(api, resource, id));
  const revisions = useQuery(revisionsQuery(api, resource, id));
  const navigate = useNavigate();
  const error = record.error ?? revisions.error;
  if (error && !(record.data && revisions.data)) return <Failed error={error} />;
  const present = record.data;
  const items = revisions.data?.items ?? [];
  const name = present ? titleOf(shapeOf(resource), present) || strings.records.untitled : '';
  const revisionIn = (name: 'revision' | 'with') =>
    items.find(({ revision }) => String(revision) === search[name]);
  const shown = revisionIn('revision') ?? items[1] ?? items[0];
  const against = revisionIn('with') ?? items[0];
  const compareWith = (revision: number) =>
    void navigate({
      to: '.',
      search: { revision: String(shown?.revision), with: String(revision) },
      replace: true,
      resetScroll: false,
    });
  return (
    <Screen
      title={strings.history.title}
      lead={strings.history.lead(keptRevisions)}
      back={<BackLink to={`/${resource.collection}/${id}`}>{name || strings.history.backTo}</BackLink>}
    >
      {present && shown && against ? (
        <div className={classes.columns}>
          <nav aria-label={strings.history.revisions} className={classes.revisions}>
            {items.map((item) => (
              <RevisionLink
                key={item.revision}
                {...{ resource, id, item }}
                isPresent={item === items[0]}
                isShown={item === shown}
              />
            ))}
          </nav>
          <RevisionView
            key={shown.revision}
            {...{ resource, present, shown, against }}
            revisions={items}
            onAgainst={compareWith}
          />
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

function RevisionLink({ resource, id, item, isPresent, isShown }: RevisionLinkProps) {
  const { briefly, inFull } = useTimeFormat();
  return (
    <Link
      to="/$collection/$id/history"
      params={{ collection: resource.collection, id }}
      search={{ revision: String(item.revision) }}
      replace
      resetScroll={false}
      className={classes.revision}
      data-shown={isShown}
      aria-current={isShown ? 'page' : undefined}
      title={inFull(item.created)}
    >
      <span className={classes.what}>
        <span>{whatChanged(resource, item)}</span>
        {isPresent && <span className={classes.now}>{strings.history.now}</span>}
      </span>
      <span className={classes.by}>{strings.history.by(actorName(item.actor), briefly(item.created))}</span>
    </Link>
  );
}
