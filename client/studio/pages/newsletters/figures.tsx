import { Progress, Text } from '@mantine/core';
import { texts } from '../../texts/texts.ts';
import { Dot } from '../../ui/dot.tsx';
import { type Mailing, waitingIn } from './mailing.ts';
import classes from './newsletters.module.css';

const words = texts.newsletters;

/** How far a newsletter is, and what became of the copies that are done. */
export function Figures({ mailing: { recipients, counts } }: { mailing: Mailing }) {
  const waiting = waitingIn(counts);
  const settled = recipients - waiting;
  const share = (copies: number) => (100 * copies) / recipients;
  const lost = counts.refused + counts.bounced + counts.complained;
  const figures = [
    { name: 'accepted', tone: 'good', copies: counts.accepted, isAlways: true },
    { name: 'waiting', tone: 'off', copies: waiting },
    { name: 'unknown', tone: 'waiting', copies: counts.unknown },
    { name: 'refused', tone: 'bad', copies: counts.refused, isAlways: true },
    { name: 'bounced', tone: 'bad', copies: counts.bounced },
    { name: 'complained', tone: 'bad', copies: counts.complained },
    { name: 'skipped', tone: 'off', copies: counts.skipped },
  ] as const;
  return (
    <section aria-label={words.figures} className={classes.panel}>
      <Progress.Root size="lg" radius="xl" transitionDuration={200}>
        <Progress.Section
          value={share(counts.accepted)}
          color="teal.6"
          aria-label={words.progress}
          aria-valuetext={words.settled(settled, recipients)}
        />
        <Progress.Section value={share(counts.unknown)} color="yellow.6" withAria={false} />
        <Progress.Section value={share(lost)} color="red.6" withAria={false} />
        <Progress.Section value={share(counts.skipped)} color="gray.5" withAria={false} />
      </Progress.Root>
      <Text fz={13} c="dimmed" mt={8} role="status">
        {words.settled(settled, recipients)}
      </Text>
      <dl className={classes.figures}>
        {figures
          .filter((figure) => figure.copies > 0 || 'isAlways' in figure)
          .map(({ name, tone, copies }) => (
            <div key={name}>
              <dt>
                <Dot tone={tone} label={words.counted[name]} />
              </dt>
              <dd>{copies.toLocaleString()}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
