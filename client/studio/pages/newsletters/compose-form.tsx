import { Alert, Anchor, Button, Checkbox, Group, Radio, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { newsletter } from '../../../../shared/contract/features/mailings.ts';
import { useAccountStorage } from '../../data/api.tsx';
import { FormBody } from '../../forms/form-view.tsx';
import { textOf } from '../../forms/input-props.ts';
import { MomentInput, nextHour } from '../../forms/moment-input.tsx';
import { DeliveryGaps, nothingIsSent } from '../../kinds/delivery-gaps.tsx';
import { texts } from '../../texts/texts.ts';
import { useMoments } from '../../ui/moment.tsx';
import { Note } from '../../ui/notes.tsx';
import { AudienceFields } from './audience-fields.tsx';
import { MailPreview } from './mail-preview.tsx';
import type { Mailing } from './mailing.tsx';
import classes from './newsletters.module.css';
import { type Composed, useCompose } from './use-compose.ts';

const words = texts.newsletters.compose;

/** To whom a post is sent, with which words and when; beside it, how it arrives. */
export function ComposeForm(composed: Composed) {
  const { post, opensAt, everybody, earlier } = composed;
  const { form, element, count, isLater, action, canMail, isReady } = useCompose(composed);
  const { values, problems, set } = form;
  const { unsaved } = useAccountStorage();
  const actions = (
    <Group>
      <Button type="submit" loading={form.isSending} disabled={!isReady}>
        {action}
      </Button>
      {!canMail && <Note>{words.noServer}</Note>}
    </Group>
  );
  return (
    <div className={classes.compose}>
      <FormBody form={form} element={element} gap="lg" actions={actions}>
        <DeliveryGaps only={nothingIsSent} />
        {earlier && (
          <Earlier
            mailing={earlier}
            isMeant={values.again}
            problem={problems.again}
            onChange={(again) => set('again', again)}
          />
        )}
        <AudienceFields
          {...{ everybody, count }}
          value={values.audience}
          onChange={(audience) => set('audience', audience)}
        />
        <TextInput
          label={words.subject}
          placeholder={post.title}
          maxLength={newsletter.longestSubject}
          {...textOf(form, 'subject')}
        />
        <TextInput
          {...words.preheader}
          placeholder={post.excerpt}
          maxLength={newsletter.longestSubject}
          {...textOf(form, 'preheader')}
        />
        <WhenFields
          {...{ isLater, opensAt, problems }}
          value={values.send_at}
          onChange={(later, moment) => {
            set('isLater', later);
            set('send_at', moment);
          }}
        />
      </FormBody>
      <MailPreview {...{ post, canMail }} subject={values.subject || post.title} preheader={values.preheader}>
        {unsaved.read('posts', post.id) && <Note>{words.unsaved}</Note>}
      </MailPreview>
    </div>
  );
}

interface EarlierProps {
  mailing: Mailing;
  isMeant: boolean;
  problem: string | undefined;
  onChange(isMeant: boolean): void;
}

/** That the post went out before, and whether it is to go out again. */
const Earlier = ({ mailing, isMeant, problem, onChange }: EarlierProps) => {
  const { id, frozen_at, send_at, recipients } = mailing;
  const { inFull } = useMoments();
  return (
    <>
      <Alert color="yellow">
        {frozen_at ? words.mailed(inFull(frozen_at), recipients) : words.toBeMailed(inFull(send_at))}{' '}
        <Anchor component={Link} to={`/newsletters/${id}`} inherit underline="always">
          {words.see}
        </Anchor>
      </Alert>
      <Checkbox
        size="sm"
        label={words.again}
        checked={isMeant}
        error={problem}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    </>
  );
};

interface WhenFieldsProps {
  isLater: boolean;
  value: Date | null;
  /** When the post is published that is a draft yet. */
  opensAt: Date | null;
  problems: { post_id?: string; send_at?: string };
  onChange(isLater: boolean, moment: Date | null): void;
}

/** When a newsletter begins: now, or at a moment of which the form says so also while it is being typed. */
function WhenFields({ isLater, value, opensAt, problems, onChange }: WhenFieldsProps) {
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
