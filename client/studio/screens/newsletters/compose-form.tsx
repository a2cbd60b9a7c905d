import { Alert, Anchor, Button, Checkbox, Group, Radio, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { cutText } from '../../../../shared/contract/cut-text.ts';
import type { MailingAudience } from '../../../../shared/contract/features/mailing-audience.ts';
import { CreateMailing, newsletter } from '../../../../shared/contract/features/mailings.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { deliveryGapsQuery } from '../../data/queries.ts';
import { problemsOf } from '../../forms/field-problems.ts';
import { FormBody, useFormElement } from '../../forms/form-view.tsx';
import { textOf } from '../../forms/input-props.ts';
import { nextHour, TimeInput } from '../../forms/time-input.tsx';
import { useForm } from '../../forms/use-form.ts';
import { DeliveryGaps, nothingIsSent } from '../../records/delivery-gaps.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { Note } from '../../ui/note.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { type AudienceCount, AudienceFields, audienceQuery } from './audience-fields.tsx';
import { MailPreview } from './mail-preview.tsx';
import type { Mailing } from './mailing.tsx';
import classes from './newsletters.module.css';

const labels = strings.newsletters.compose;

/** Form of a newsletter: recipients, subject and time, with a preview beside it. */
export function ComposeForm(composed: ComposedMailing) {
  const { post, opensAt, everybody, earlier } = composed;
  const { form, element, count, isLater, action, canMail, isReady } = useCompose(composed);
  const { values, problems, set } = form;
  const { unsaved } = useAccountStorage();
  const actions = (
    <Group>
      <Button type="submit" loading={form.isSending} disabled={!isReady}>
        {action}
      </Button>
      {!canMail && <Note>{labels.noServer}</Note>}
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
          label={labels.subject}
          placeholder={post.title}
          maxLength={newsletter.maxSubjectLength}
          {...textOf(form, 'subject')}
        />
        <TextInput
          {...labels.preheader}
          placeholder={post.excerpt}
          maxLength={newsletter.maxSubjectLength}
          {...textOf(form, 'preheader')}
        />
        <WhenFields
          {...{ isLater, opensAt, problems }}
          value={values.send_at}
          onChange={(later, time) => {
            set('isLater', later);
            set('send_at', time);
          }}
        />
      </FormBody>
      <MailPreview {...{ post, canMail }} subject={values.subject || post.title} preheader={values.preheader}>
        {unsaved.read('posts', post.id) && <Note>{labels.unsaved}</Note>}
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

/** Warning that the post was sent before, with a checkbox to send it again. */
const Earlier = ({ mailing, isMeant, problem, onChange }: EarlierProps) => {
  const { id, frozen_at, send_at, recipients } = mailing;
  const { inFull } = useTimeFormat();
  return (
    <>
      <Alert color="yellow">
        {frozen_at ? labels.mailed(inFull(frozen_at), recipients) : labels.toBeMailed(inFull(send_at))}{' '}
        <Anchor component={Link} to={`/newsletters/${id}`} inherit underline="always">
          {labels.see}
        </Anchor>
      </Alert>
      <Checkbox
        size="sm"
        label={labels.again}
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
  /** Publication time of a scheduled post; null if it is already public. */
  opensAt: Date | null;
  problems: { post_id?: string; send_at?: string };
  onChange(isLater: boolean, time: Date | null): void;
}

/** Input for the start of a newsletter: now or later. */
function WhenFields({ isLater, value, opensAt, problems, onChange }: WhenFieldsProps) {
  const { inFull } = useTimeFormat();
  return (
    <>
      <Radio.Group
        label={labels.when}
        value={isLater ? 'later' : 'now'}
        error={problems.post_id && labels.notVisible}
        onChange={(chosen) =>
          onChange(chosen === 'later', chosen === 'later' ? (opensAt ?? nextHour()) : null)
        }
      >
        <Group gap="lg" mb={6}>
          <Radio size="sm" value="now" label={labels.now} disabled={opensAt !== null} />
          <Radio size="sm" value="later" label={labels.later} />
        </Group>
      </Radio.Group>
      {isLater && (
        <TimeInput
          label={labels.at}
          description={opensAt ? labels.atDraft(inFull(opensAt)) : labels.atHelp}
          value={value}
          error={problems.send_at && labels.atMissing}
          required
          onChange={(time) => onChange(true, time)}
        />
      )}
    </>
  );
}

interface ComposedMailing {
  post: OutputOf<ApiClient['studio']['posts']['get']>;
  /** Publication time of a scheduled post; null if it is already public. */
  opensAt: Date | null;
  everybody: AudienceCount;
  /** The post's latest mailing. */
  earlier: Mailing | undefined;
}

interface Values {
  subject: string;
  preheader: string;
  audience: MailingAudience;
  isLater: boolean;
  send_at: Date | null;
  again: boolean;
}

/** Contract for a post that was sent before: the checkbox is required. */
const Again = CreateMailing.extend({ again: z.literal(true, { error: labels.againMissing }) });

/** Returns the form of a newsletter, which asks for confirmation before it sends, and the number of recipients. */
function useCompose(composed: ComposedMailing) {
  const { post, everybody, earlier } = composed;
  const api = useApi();
  const { inFull } = useTimeFormat();
  const contract = earlier ? Again : CreateMailing;
  const toInput = (values: Partial<Values>) => toMailing(post, values);
  const create = useCreate();
  const form = useForm<Values, { id: string }>({
    initial: initialOf(composed),
    contract,
    toInput,
    way: { make: { name: `mailings:${post.id}`, send: create.send } },
    onSent: (made, { send_at }) => {
      toast(send_at ? labels.scheduled(inFull(send_at)) : labels.sent(count.recipients));
      if (made) create.show(made.id);
    },
  });
  const { values } = form;
  const audience = useQuery(audienceQuery(api, post.id, values.audience));
  const count = audience.data ?? everybody;
  const isLater = values.isLater || values.send_at !== null;
  const action = isLater ? labels.schedule(count.recipients) : labels.send(count.recipients);
  const confirm = useConfirm();
  const askFirst = () => {
    const isWrong = Object.keys(problemsOf(contract, toInput(values))).length > 0;
    // An unanswered request is repeated without a new confirmation.
    if (isWrong || form.isUnanswered) return form.submit();
    const at = values.send_at;
    confirm({
      title: labels.ask(count.recipients),
      lead: at && at.getTime() > Date.now() ? labels.askLater(inFull(at)) : labels.askLead,
      action,
      isWanted: true,
      run: async () => form.submit(),
    });
  };
  const element = useFormElement({ ...form, submit: askFirst });
  const delivery = useQuery(deliveryGapsQuery(api));
  const canMail = !delivery.data?.missing.includes('mail_server');
  const isReady = canMail && count.recipients > 0 && !audience.isPlaceholderData;
  return { form, element, count, isLater, action, canMail, isReady };
}

const initialOf = ({ post, opensAt }: ComposedMailing): Values => ({
  subject: cutText(post.title, newsletter.maxSubjectLength),
  preheader: '',
  audience: {},
  isLater: opensAt !== null,
  send_at: opensAt,
  again: false,
});

/**
 * Converts values into the request. A subject equal to the title is omitted, so that it follows later changes of the title.
 */
function toMailing(
  { id, title }: ComposedMailing['post'],
  { audience, isLater, send_at, again, ...labels }: Partial<Values>,
) {
  const [subject, preheader] = [labels.subject?.trim(), labels.preheader?.trim()];
  return {
    post_id: id,
    ...(subject && subject !== title && { subject }),
    ...(preheader && { preheader }),
    audience,
    ...((isLater || send_at) && { send_at: send_at ?? '' }),
    again,
  };
}

function useCreate() {
  const { mailings } = useApi().studio;
  const queries = useQueryClient();
  const navigate = useNavigate();
  return {
    send: (input: object, options: { idempotencyKey: string }) =>
      mailings.create
        .mutate(CreateMailing.parse(input), options)
        // Refetch newsletters even after a refusal, because another user may have sent the post.
        .finally(() => queries.invalidateQueries({ queryKey: ['mailings'] })),
    show: (id: string) => void navigate({ to: '/newsletters/$id', params: { id }, ignoreBlocker: true }),
  };
}
