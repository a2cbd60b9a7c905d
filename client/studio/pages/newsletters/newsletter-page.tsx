import { Alert, Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { accessTierLabels } from '../../../../shared/contract/resources/access-tier.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/rights.ts';
import { inFull } from '../../texts/moments.ts';
import { texts } from '../../texts/texts.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { Note } from '../../ui/note.tsx';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Figures } from './figures.tsx';
import { type Mailing, mailingQuery } from './mailing.ts';
import { MailingState } from './mailing-state.tsx';
import { Recipients } from './recipients.tsx';
import { Steps } from './steps.tsx';

const words = texts.newsletters;

/** One newsletter: how far it is, and what became of each copy. */
export default function NewsletterPage() {
  const { id } = useParams({ from: '/newsletters/$id' });
  const mailing = useQuery(mailingQuery(useApi(), id));
  if (!mailing.data) return <Pending query={mailing} />;
  return <OneMailing mailing={mailing.data} />;
}

function OneMailing({ mailing }: { mailing: Mailing }) {
  const { id, post_id, subject, status, pause_reason, counts, on_unknown, recipients } = mailing;
  const mayMail = useMayWrite('newsletter');
  return (
    <Screen
      title={subject || texts.records.untitled}
      lead={<MailingState status={status} />}
      {...(mayMail && { actions: <Steps mailing={mailing} /> })}
      back={<BackLink to="/newsletters">{words.title}</BackLink>}
    >
      {pause_reason && (
        <Alert color="yellow" role="status">
          {status === 'cancelled' ? words.whyCancelled : words.why[pause_reason]}
        </Alert>
      )}
      {recipients > 0 && <Figures mailing={mailing} />}
      {counts.unknown > 0 && <Text fz="sm">{words.doubts(counts.unknown, on_unknown === 'repeat')}</Text>}
      <Note>
        {[whenOf(mailing), whomOf(mailing)].filter(Boolean).join(' ')}{' '}
        <Anchor component={Link} to={`/posts/${post_id}`} inherit underline="always">
          {words.toPost}
        </Anchor>
      </Note>
      <Recipients mailing={mailing} key={id} />
    </Screen>
  );
}

/** When it begins, or of when the post is that it holds. */
function whenOf({ status, send_at, frozen_at, expected }: Mailing): string {
  if (status === 'scheduled') {
    const isDue = send_at.getTime() <= Date.now();
    return isDue ? words.waitsForTurn(expected) : words.willBegin(inFull(send_at), expected);
  }
  return frozen_at ? words.frozen(inFull(frozen_at)) : '';
}

/** Whom alone it goes to; empty for everybody. */
function whomOf({ audience: { access_tiers, sources } }: Mailing): string {
  const to = [
    ...(access_tiers ? [words.members(access_tiers.map((tier) => accessTierLabels[tier]).join(', '))] : []),
    ...(sources
      ? [words.cameFrom(sources.map((source) => source || words.compose.noSource).join(', '))]
      : []),
  ];
  return to.length > 0 ? words.narrowed(to.join(words.and)) : '';
}
