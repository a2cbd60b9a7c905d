import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { periodSince } from '../../../../shared/contract/features/analytics.ts';
import { opens } from '../../../../shared/contract/roles.ts';
import { pageOf } from '../../../../shared/contract/site-paths.ts';
import { useApi } from '../../data/api.tsx';
import { useRole } from '../../data/permissions.ts';
import { queryOf } from '../../data/queries.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Note } from '../../ui/note.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { Card, Figure } from './card.tsx';
import classes from './overview.module.css';

/** Views of the newest post, and the progress of the newest newsletter. */
export function LastPost() {
  const { briefly } = useTimeFormat();
  const { studio } = useApi();
  const { data } = useQuery({
    queryKey: ['records', 'posts', 'last'],
    queryFn: ({ signal }) =>
      studio.posts.list.query(
        { sort: '-published_at', is_draft: false, visibility: ['public'], per_page: 1 },
        { signal },
      ),
  });
  const [post] = data?.items ?? [];
  const published = post?.published_at ?? post?.created ?? new Date();
  const period = periodSince(published, new Date());
  const path = post && pageOf('post', post.slug);
  const analytics = useQuery({
    ...queryOf(['analytics', { period, path }], studio.analytics.get, { period, path: path ?? undefined }),
    enabled: post !== undefined,
  });
  const role = useRole();
  return (
    <Card title={strings.overview.lastPost}>
      {!data && <Skeleton h={60} />}
      {data && !post && <Note>{strings.overview.noPost}</Note>}
      {post && (
        <>
          <Figure of={strings.overview.viewsIn[period]}>
            {analytics.data?.total_views.toLocaleString()}
          </Figure>
          <Link to="/$collection/$id" params={{ collection: 'posts', id: post.id }} className={classes.way}>
            {post.title}
          </Link>
          <Text fz={12.5} c="dimmed">
            {strings.overview.publishedAt(briefly(published))}
          </Text>
        </>
      )}
      {opens(role, 'newsletter', false) && <LastNewsletter />}
    </Card>
  );
}

const { acceptedOf, statuses } = strings.newsletters;

/** Progress of the newest newsletter; nothing if there is none. */
function LastNewsletter() {
  const { briefly } = useTimeFormat();
  const { studio } = useApi();
  const { data } = useQuery(queryOf(['mailings', 'last'], studio.mailings.list, { per_page: 1 }));
  const [mailing] = data?.items ?? [];
  if (!mailing) return null;
  const { id, subject, status, send_at, counts, recipients } = mailing;
  return (
    <div className={classes.newsletter}>
      <Text fz={13} fw={550} c="dimmed">
        {strings.overview.lastNewsletter}
      </Text>
      <Link to="/newsletters/$id" params={{ id }} className={classes.way}>
        {subject || strings.records.untitled}
      </Link>
      <Text fz={12.5} c="dimmed">
        {[statuses[status], briefly(send_at), recipients > 0 && acceptedOf(counts.accepted, recipients)]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </div>
  );
}
