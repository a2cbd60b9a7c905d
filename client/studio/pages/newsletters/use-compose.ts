import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { cutText } from '../../../../shared/contract/cut-text.ts';
import type { MailingAudience } from '../../../../shared/contract/features/mailing-audience.ts';
import { CreateMailing, newsletter } from '../../../../shared/contract/features/mailings.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { deliveryGapsQuery } from '../../data/queries.ts';
import { useFormElement } from '../../forms/form-view.tsx';
import { problemsOf } from '../../forms/problems.ts';
import { useForm } from '../../forms/use-form.ts';
import { texts } from '../../texts/texts.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { useMoments } from '../../ui/moment.tsx';
import { toast } from '../../ui/toast.tsx';
import { type AudienceCount, audienceQuery } from './audience-fields.tsx';
import type { Mailing } from './mailing.tsx';

const words = texts.newsletters.compose;

export interface Composed {
  post: OutputOf<ApiClient['studio']['posts']['get']>;
  /** When the post is published that is a draft yet. */
  opensAt: Date | null;
  everybody: AudienceCount;
  /** The last one that the post was sent with. */
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

/** What was sent once is sent again only by somebody who means it. */
const Again = CreateMailing.extend({ again: z.literal(true, { error: words.againMissing }) });

/** The form of a newsletter, which asks before it sends anything, and those who get what it holds. */
export function useCompose(composed: Composed) {
  const { post, everybody, earlier } = composed;
  const api = useApi();
  const { inFull } = useMoments();
  const contract = earlier ? Again : CreateMailing;
  const toInput = (values: Partial<Values>) => inputOf(post, values);
  const create = useCreate();
  const form = useForm<Values, { id: string }>({
    initial: initialOf(composed),
    contract,
    toInput,
    way: { make: { name: `mailings:${post.id}`, send: create.send } },
    onSent: (made, { send_at }) => {
      toast(send_at ? words.scheduled(inFull(send_at)) : words.sent(count.recipients));
      if (made) create.show(made.id);
    },
  });
  const { values } = form;
  const audience = useQuery(audienceQuery(api, post.id, values.audience));
  const count = audience.data ?? everybody;
  const isLater = values.isLater || values.send_at !== null;
  const action = isLater ? words.schedule(count.recipients) : words.send(count.recipients);
  const ask = useConfirm();
  const askFirst = () => {
    const isWrong = Object.keys(problemsOf(contract, toInput(values))).length > 0;
    // What was sent before is only repeated.
    if (isWrong || form.isUnanswered) return form.submit();
    const at = values.send_at;
    ask({
      title: words.ask(count.recipients),
      lead: at && at.getTime() > Date.now() ? words.askLater(inFull(at)) : words.askLead,
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

const initialOf = ({ post, opensAt }: Composed): Values => ({
  subject: cutText(post.title, newsletter.longestSubject),
  preheader: '',
  audience: {},
  isLater: opensAt !== null,
  send_at: opensAt,
  again: false,
});

/** A subject that is the title is none of its own: it follows the post until it is sent. */
function inputOf(
  { id, title }: Composed['post'],
  { audience, isLater, send_at, again, ...words }: Partial<Values>,
) {
  const [subject, preheader] = [words.subject?.trim(), words.preheader?.trim()];
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
        // Also where it was refused, since somebody else may have sent it.
        .finally(() => queries.invalidateQueries({ queryKey: ['mailings'] })),
    show: (id: string) => void navigate({ to: '/newsletters/$id', params: { id }, ignoreBlocker: true }),
  };
}
