import { Button } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { resources } from '../../../../shared/contract/resources/index.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { canBeMailed, scheduledFor } from '../../data/record-shape.ts';
import { recordKey } from '../../data/records.ts';
import { UploadingScope } from '../../forms/form-context.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { Empty, Failed, ListSkeleton } from '../../ui/pending.tsx';
import { BackLink, Screen } from '../../ui/screen.tsx';
import { audienceQuery } from './audience-fields.tsx';
import { ComposeForm } from './compose-form.tsx';
import { isMailed } from './mailing.tsx';

const labels = strings.newsletters.compose;

export default function ComposePage() {
  const { id } = useParams({ from: '/posts/$id/newsletter' });
  const api = useApi();
  const post = useQuery(queryOf(recordKey(resources.posts, id), api.studio.posts.get, { id }));
  const mailings = useQuery(
    queryOf(['mailings', 'list', { post_id: id }], api.studio.mailings.list, { post_id: id }),
  );
  const everybody = useQuery(audienceQuery(api, id, {}));
  const failed = [post, mailings, everybody].find(({ error, data }) => error && !data);
  if (failed) return <Failed error={failed.error} onRetry={failed.refetch} />;
  if (!post.data || !mailings.data || !everybody.data) return <ListSkeleton />;
  return (
    <Screen
      title={labels.title}
      lead={post.data.title}
      back={<BackLink to={`/posts/${id}`}>{labels.back}</BackLink>}
    >
      {canBeMailed(resources.posts, post.data) ? (
        <UploadingScope key={id}>
          <ComposeForm
            post={post.data}
            opensAt={scheduledFor(post.data)}
            everybody={everybody.data}
            earlier={mailings.data.items.find(isMailed)}
          />
        </UploadingScope>
      ) : (
        <Empty
          icon={IconEyeOff}
          title={labels.closed}
          lead={labels.closedLead}
          action={
            <Button component={Link} to={`/posts/${id}`}>
              {labels.toPost}
            </Button>
          }
        />
      )}
    </Screen>
  );
}
