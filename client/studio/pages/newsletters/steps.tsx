import { Button } from '@mantine/core';
import { useApi } from '../../data/api.tsx';
import { texts } from '../../texts/texts.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '../../ui/icons.ts';
import { offered, type RowAction, RowMenu } from '../../ui/row-menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { type Mailing, waitingIn } from './mailing.tsx';

const words = texts.newsletters;

/** What can be done with a newsletter as it stands: the first as a button, the rest in a menu. */
export function Steps({ mailing }: { mailing: Mailing }) {
  const { id, subject, status, counts, recipients, on_unknown } = mailing;
  const { mailings } = useApi().studio;
  const ask = useConfirm();
  const step = useWrite({
    run: (work: () => Promise<string>) => work(),
    refreshes: ['mailings'],
    done: (told) => toast(told),
  });
  const does = (work: () => Promise<unknown>, done: string) => () =>
    step.mutate(() => work().then(() => done));
  const retry = () => step.mutate(async () => words.retried((await mailings.retry.mutate({ id })).retried));
  const cancel = () =>
    ask({
      title: words.cancelOne(subject || texts.records.untitled),
      lead: words.cancelLead(waitingIn(counts), recipients === 0),
      action: words.cancelIt,
      run: () => mailings.cancel.mutate({ id }),
      refreshes: ['mailings'],
      done: words.cancelled,
    });
  const again = counts.refused + (on_unknown === 'repeat' ? counts.unknown : 0);
  const isUnderWay = status === 'preparing' || status === 'sending';
  const [first, ...others] = offered<RowAction>([
    status === 'paused' && {
      label: words.resume,
      icon: IconPlayerPlay,
      run: does(() => mailings.resume.mutate({ id }), words.resumed),
    },
    isUnderWay && {
      label: words.pause,
      icon: IconPlayerPause,
      run: does(() => mailings.pause.mutate({ id }), words.paused),
    },
    again > 0 &&
      (status === 'sent' || status === 'sending' || status === 'paused') && {
        label: words.retry,
        icon: IconRefresh,
        run: retry,
      },
    (isUnderWay || status === 'scheduled' || status === 'paused') && {
      label: words.cancelIt,
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
      {others.length > 0 && <RowMenu of={subject || texts.records.untitled} actions={others} />}
    </>
  );
}
