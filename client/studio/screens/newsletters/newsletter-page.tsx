import { Alert, Anchor, Button, Progress, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { accessTierLabels } from '../../../../shared/contract/resources/access-tier.ts';
import { useApi } from '../../data/api.tsx';
import { useMayWrite } from '../../data/permissions.ts';
import type { TimeFormat } from '../../strings/time-format.ts';
import { strings } from '../../strings/ui-strings.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { Dot } from '../../ui/dot.tsx';
import { Note } from '../../ui/note.tsx';
import { Pending } from '../../ui/pending.tsx';
import { offered, type RowAction, RowMenu } from '../../ui/row-menu.tsx';
import { BackLink, Screen } from '../../ui/screen.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { type Mailing, MailingState, mailingQuery, waitingIn } from './mailing.tsx';
import classes from './newsletters.module.css';
import { Recipients } from './recipients.tsx';

const labels = strings.newsletters;

/** Page with one newsletter: its progress and the state of each recipient. */
export default function NewsletterPage() {
  const { id } = useParams({ from: '/newsletters/$id' });
  const mailing = useQuery(mailingQuery(useApi(), id));
  if (!mailing.data) return <Pending query={mailing} />;
  return <OneMailing mailing={mailing.data} />;
}

function OneMailing({ mailing }: { mailing: Mailing }) {
  const { id, post_id, subject, status, pause_reason, counts, on_unknown, recipients } = mailing;
  const timeFormat = useTimeFormat();
  const mayMail = useMayWrite('newsletter');
  return (
    <Screen
      title={subject || strings.records.untitled}
      lead={<MailingState status={status} />}
      {...(mayMail && { actions: <Steps mailing={mailing} /> })}
      back={<BackLink to="/newsletters">{labels.title}</BackLink>}
    >
      {pause_reason && (
        <Alert color="yellow" role="status">
          {status === 'cancelled' ? labels.whyCancelled : labels.why[pause_reason]}
        </Alert>
      )}
      {recipients > 0 && <Figures mailing={mailing} />}
      {counts.unknown > 0 && (
        <Text fz="sm">{labels.unconfirmed(counts.unknown, on_unknown === 'repeat')}</Text>
      )}
      <Note>
        {[whenOf(mailing, timeFormat), whomOf(mailing)].filter(Boolean).join(' ')}{' '}
        <Anchor component={Link} to={`/posts/${post_id}`} inherit underline="always">
          {labels.toPost}
        </Anchor>
      </Note>
      <Recipients mailing={mailing} key={id} />
    </Screen>
  );
}

/** Describes the start of a newsletter, or the time of the version that it contains. */
function whenOf({ status, send_at, frozen_at, expected }: Mailing, { inFull }: TimeFormat): string {
  if (status === 'scheduled') {
    const isDue = send_at.getTime() <= Date.now();
    return isDue ? labels.waitsForTurn(expected) : labels.willBegin(inFull(send_at), expected);
  }
  return frozen_at ? labels.frozen(inFull(frozen_at)) : '';
}

/** Describes the filters of a newsletter's recipients; empty if it goes to all subscribers. */
function whomOf({ audience: { access_tiers, sources } }: Mailing): string {
  const to = [
    ...(access_tiers ? [labels.members(access_tiers.map((tier) => accessTierLabels[tier]).join(', '))] : []),
    ...(sources
      ? [labels.cameFrom(sources.map((source) => source || labels.compose.noSource).join(', '))]
      : []),
  ];
  return to.length > 0 ? labels.onlyTo(to.join(labels.and)) : '';
}

/** Progress bar of a newsletter, with the number of recipients per state. */
function Figures({ mailing: { recipients, counts } }: { mailing: Mailing }) {
  const waiting = waitingIn(counts);
  const settled = recipients - waiting;
  const share = (count: number) => (100 * count) / recipients;
  const lost = counts.refused + counts.bounced + counts.complained;
  const figures = [
    { name: 'accepted', tone: 'good', count: counts.accepted, isAlways: true },
    { name: 'queued', tone: 'off', count: waiting },
    { name: 'unknown', tone: 'waiting', count: counts.unknown },
    { name: 'refused', tone: 'bad', count: counts.refused, isAlways: true },
    { name: 'bounced', tone: 'bad', count: counts.bounced },
    { name: 'complained', tone: 'bad', count: counts.complained },
    { name: 'skipped', tone: 'off', count: counts.skipped },
  ] as const;
  return (
    <section aria-label={labels.figures} className={classes.panel}>
      <Progress.Root size="lg" radius="xl" transitionDuration={200}>
        <Progress.Section
          value={share(counts.accepted)}
          color="teal.6"
          aria-label={labels.progress}
          aria-valuetext={labels.settled(settled, recipients)}
        />
        <Progress.Section value={share(counts.unknown)} color="yellow.6" withAria={false} />
        <Progress.Section value={share(lost)} color="red.6" withAria={false} />
        <Progress.Section value={share(counts.skipped)} color="gray.5" withAria={false} />
      </Progress.Root>
      <Text fz={13} c="dimmed" mt={8} role="status">
        {labels.settled(settled, recipients)}
      </Text>
      <dl className={classes.figures}>
        {figures
          .filter((figure) => figure.count > 0 || 'isAlways' in figure)
          .map(({ name, tone, count }) => (
            <div key={name}>
              <dt>
                <Dot tone={tone} label={labels.states[name]} />
              </dt>
              <dd>{count.toLocaleString()}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

/** Actions that the newsletter's status allows: the first as a button, the others in a menu. */
function Steps({ mailing }: { mailing: Mailing }) {
  const { id, subject, status, counts, recipients, on_unknown } = mailing;
  const { mailings } = useApi().studio;
  const confirm = useConfirm();
  const step = useWrite({
    run: (work: () => Promise<string>) => work(),
    refreshes: ['mailings'],
    done: (told) => toast(told),
  });
  const does = (work: () => Promise<unknown>, done: string) => () =>
    step.mutate(() => work().then(() => done));
  const retry = () => step.mutate(async () => labels.retried((await mailings.retry.mutate({ id })).retried));
  const cancel = () =>
    confirm({
      title: labels.cancelOne(subject || strings.records.untitled),
      lead: labels.cancelLead(waitingIn(counts), recipients === 0),
      action: labels.cancelIt,
      run: () => mailings.cancel.mutate({ id }),
      refreshes: ['mailings'],
      done: labels.cancelled,
    });
  const again = counts.refused + (on_unknown === 'repeat' ? counts.unknown : 0);
  const isUnderWay = status === 'preparing' || status === 'sending';
  const [first, ...others] = offered<RowAction>([
    status === 'paused' && {
      label: labels.resume,
      icon: IconPlayerPlay,
      run: does(() => mailings.resume.mutate({ id }), labels.resumed),
    },
    isUnderWay && {
      label: labels.pause,
      icon: IconPlayerPause,
      run: does(() => mailings.pause.mutate({ id }), labels.paused),
    },
    again > 0 &&
      (status === 'sent' || status === 'sending' || status === 'paused') && {
        label: labels.retry,
        icon: IconRefresh,
        run: retry,
      },
    (isUnderWay || status === 'scheduled' || status === 'paused') && {
      label: labels.cancelIt,
      icon: IconX,
      run: cancel,
      isDangerous: status !== 'scheduled',
    },
  ]);
  if (!first) return null;
  const { label, icon: StepIcon, run } = first;
  return (
    <>
      <Button
        variant={status === 'paused' ? 'filled' : 'default'}
        leftSection={<StepIcon size={16} aria-hidden />}
        loading={step.isPending}
        onClick={run}
      >
        {label}
      </Button>
      {others.length > 0 && <RowMenu of={subject || strings.records.untitled} actions={others} />}
    </>
  );
}
