import { Anchor, Text, Title, UnstyledButton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApiClient } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { strings } from '../../strings/ui-strings.ts';
import classes from './overview.module.css';

const paths = { profile: '/profile', look: '/settings', post: '/posts/new', work: '/cv' } as const;

const { steps } = strings.overview;

/** Setup steps of a new site; hidden when all are done. */
export function FirstSteps() {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['records', 'first-steps'],
    queryFn: ({ signal }) => readSteps(api, signal),
    staleTime: 60_000,
  });
  if (!data || data.every(({ isDone }) => isDone)) return null;
  return (
    <section aria-label={steps.title} className={classes.card}>
      <Title order={2} fz={15}>
        {steps.title}
      </Title>
      <Text fz="sm" c="dimmed" mb="sm">
        {steps.lead(data.filter(({ isDone }) => isDone).length)}
      </Text>
      <ol className={classes.steps}>
        {data.map(({ name, isDone }) => (
          <li key={name} data-done={isDone}>
            <UnstyledButton component={Link} to={paths[name]}>
              <span className={classes.mark}>{isDone && <IconCheck size={13} stroke={3} aria-hidden />}</span>
              <span>
                <span className={classes.stepName}>{steps.names[name].title}</span>
                <Text span fz={12.5} c="dimmed" display="block">
                  {isDone ? steps.done : steps.names[name].lead}
                </Text>
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ol>
      {!data.some(({ name, isDone }) => name === 'post' && isDone) && (
        <Anchor component={Link} to="/import-export" fz="sm">
          {steps.bring}
        </Anchor>
      )}
    </section>
  );
}

async function readSteps({ studio }: ApiClient, signal: AbortSignal) {
  const one = { per_page: 1 } as const;
  // The API client sends these calls in one request.
  const [profile, site, posts, ...work] = await Promise.all([
    studio.profile.get.query(undefined, { signal }),
    studio.site.get.query(undefined, { signal }),
    studio.posts.list.query({ ...one, is_draft: false }, { signal }),
    studio.experience.list.query(one, { signal }),
    studio.projects.list.query(one, { signal }),
    studio.talks.list.query(one, { signal }),
  ]);
  return [
    { name: 'profile', isDone: profile.headline !== '' && profile.summary !== '' },
    // Saved settings mean that the owner has seen the design.
    { name: 'look', isDone: site.updated > site.created },
    { name: 'post', isDone: posts.total > 0 },
    { name: 'work', isDone: work.some(({ total }) => total > 0) },
  ] as const;
}
