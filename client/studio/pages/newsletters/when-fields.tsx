import { Group, Radio } from '@mantine/core';
import { MomentInput, nextHour } from '../../forms/moment-input.tsx';
import { texts } from '../../texts/texts.ts';
import { useMoments } from '../../ui/moment.tsx';

const words = texts.newsletters.compose;

interface WhenFieldsProps {
  isLater: boolean;
  value: Date | null;
  /** When the post is published that is a draft yet. */
  opensAt: Date | null;
  problems: { post_id?: string; send_at?: string };
  onChange(isLater: boolean, moment: Date | null): void;
}

/** When a newsletter begins: now, or at a moment of which the form says so also while it is being typed. */
export function WhenFields({ isLater, value, opensAt, problems, onChange }: WhenFieldsProps) {
  const { inFull } = useMoments();
  return (
    <>
      <Radio.Group
        label={words.when}
        value={isLater ? 'later' : 'now'}
        error={problems.post_id && words.notVisible}
        onChange={(chosen) =>
          onChange(chosen === 'later', chosen === 'later' ? (opensAt ?? nextHour()) : null)
        }
      >
        <Group gap="lg" mb={6}>
          <Radio size="sm" value="now" label={words.now} disabled={opensAt !== null} />
          <Radio size="sm" value="later" label={words.later} />
        </Group>
      </Radio.Group>
      {isLater && (
        <MomentInput
          label={words.at}
          description={opensAt ? words.atDraft(inFull(opensAt)) : words.atHelp}
          value={value}
          error={problems.send_at && words.atMissing}
          required
          onChange={(moment) => onChange(true, moment)}
        />
      )}
    </>
  );
}
