import { Anchor, Group, Text, Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiClient } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { inFull } from '../texts/moments.ts';
import { texts } from '../texts/texts.ts';
import classes from './overview.module.css';

const weeks = 12;
const dayMs = 86_400_000;

/** How many members there were at a moment. */
interface Point {
  at: Date;
  count: number;
}

/** How many members there are, and how they became so many: as a line, and as a table for those who don't see it. */
export function Growth() {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['members', 'growth'],
    queryFn: ({ signal }) => readGrowth(api, signal),
    staleTime: 5 * 60_000,
  });
  const first = data?.points[0]?.count ?? 0;
  const total = data?.points.at(-1)?.count ?? 0;
  const label = texts.overview.growth(weeks, first, total);
  return (
    <section aria-label={texts.overview.members}>
      <Title order={2} fz={14} mb="xs">
        <Anchor component={Link} to="/members" c="inherit" fz="inherit" fw="inherit">
          {texts.overview.members}
        </Anchor>
      </Title>
      <div className={classes.growth}>
        <Group gap={10} align="baseline" wrap="nowrap">
          <Text fz={26} fw={600} lh={1.3} className={classes.figure}>
            {data ? total.toLocaleString() : ' '}
          </Text>
          {data && (
            <Text fz={13} c="dimmed">
              {texts.overview.newMembers(data.recent)}
            </Text>
          )}
        </Group>
        {data && total > 0 && <Line points={data.points} label={label} />}
      </div>
      <VisuallyHidden>
        <table aria-label={label}>
          <thead>
            <tr>
              <th>{texts.overview.week}</th>
              <th>{texts.overview.members}</th>
            </tr>
          </thead>
          <tbody>
            {data?.points.map(({ at, count }) => (
              <tr key={at.getTime()}>
                <td>{inFull(at)}</td>
                <td>{count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </section>
  );
}

/** Counts of the list of members, which travel in one request. */
async function readGrowth({ studio }: ApiClient, signal: AbortSignal) {
  const now = Date.now();
  const count = async (filter: { created_from?: Date; created_before?: Date }) =>
    (await studio.members.list.query({ per_page: 1, fields: ['id'], ...filter }, { signal })).total;
  const moments = Array.from({ length: weeks + 1 }, (_, week) => new Date(now - (weeks - week) * 7 * dayMs));
  const [recent, ...counts] = await Promise.all([
    count({ created_from: new Date(now - 30 * dayMs) }),
    ...moments.map((at, week) => count(week === weeks ? {} : { created_before: at })),
  ]);
  const points = moments.map((at, week): Point => ({ at, count: counts[week] ?? 0 }));
  return { recent, points };
}

const size = { width: 200, height: 44 };

function Line({ points, label }: { points: readonly Point[]; label: string }) {
  const highest = Math.max(1, ...points.map(({ count }) => count));
  const at = ({ count }: Point, index: number) =>
    `${(index / weeks) * size.width} ${size.height - (count / highest) * (size.height - 4) - 1}`;
  const line = points.map((point, index) => `${index === 0 ? 'M' : 'L'}${at(point, index)}`).join('');
  return (
    <svg {...size} role="img" aria-label={label} className={classes.sparkline}>
      <path d={`${line}L${size.width} ${size.height}L0 ${size.height}Z`} className={classes.area} />
      <path d={line} className={classes.line} data-tone="views" />
    </svg>
  );
}
