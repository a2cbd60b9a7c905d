import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/query-of.ts';
import { briefly } from '../../texts/moments.ts';
import { texts } from '../../texts/texts.ts';
import classes from './overview.module.css';

const { acceptedOf, statuses } = texts.newsletters;

/** How far the newest newsletter has come, once there is one. */
export function LastNewsletter() {
  const { studio } = useApi();
  const { data } = useQuery(queryOf(['mailings', 'last'], studio.mailings.list, { per_page: 1 }));
  const [mailing] = data?.items ?? [];
  if (!mailing) return null;
  const { id, subject, status, send_at, counts, recipients } = mailing;
  return (
    <div className={classes.newsletter}>
      <Text fz={13} fw={550} c="dimmed">
        {texts.overview.lastNewsletter}
      </Text>
      <Link to="/newsletters/$id" params={{ id }} className={classes.way}>
        {subject || texts.records.untitled}
      </Link>
      <Text fz={12.5} c="dimmed">
        {[statuses[status], briefly(send_at), recipients > 0 && acceptedOf(counts.accepted, recipients)]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </div>
  );
}
